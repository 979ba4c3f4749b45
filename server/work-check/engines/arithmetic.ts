import type { Quantity } from '../reading/quantity.ts';
import type { Statement } from '../statements.ts';
import { printedTolerance, written } from './printed.ts';

/** A calculation that a sentence states in so many words, and whether it comes out. */
export type Calculation = {
  holds: boolean;
  /** The figure that the others must give, as it is printed. */
  claimed: Quantity;
  /** "from 96 to 103 is 7.29 percent more" */
  says: string;
};

type Figure = Quantity & { text: string; before: string; after: string };

/**
 * Recalculates what a sentence works out itself: growth from one figure to another, a share "A of B", a difference of two
 * figures, a product "A at B come to C", a sum "A and B, together C", an equation. Anything it does not recognise for
 * certain is left alone.
 */
export function recalculate({ text, quantities }: Statement): Calculation[] {
  const figures = quantities
    .filter(({ kind }) => kind === 'number' || kind === 'percent' || kind === 'money')
    .map((figure, at, all): Figure => {
      const before = text.slice(all[at - 1]?.end ?? 0, figure.start);
      return {
        ...figure,
        text: text.slice(figure.start, figure.end),
        before,
        after: text.slice(figure.end, all[at + 1]?.start ?? text.length),
      };
    });
  return [
    ...growths(figures, text),
    ...growthsOver(figures),
    ...shares(figures),
    ...differences(figures),
    ...products(figures),
    ...productsBefore(figures),
    ...percentages(figures),
    ...sums(figures),
    ...remainders(figures),
  ];
}

const CHANGE =
  /\b(?:up|down|increase\w*|decrease\w*|more|less|fewer|rise|rising|rose|fell|fall|growth|grew|shrank|shrunk|drop\w*|gain|lower|higher|decline\w*)\b/i;
const BETWEEN_MAX = 45;
const OTHER_CLAUSE = /\b(?:and|while|whereas|but|although|though)\b|;/i;
const short = (value: number): string => written(Math.round(value * 100) / 100);

/** "from A to B, up P percent" and "by P percent from A to B", also with A and B in one sentence and P behind them. */
function growths(figures: readonly Figure[], text: string): Calculation[] {
  const found: Calculation[] = [];
  for (const [at, from] of figures.entries()) {
    const [before, to, after] = [figures[at - 1], figures[at + 1], figures[at + 2]];
    if (to === undefined || from.kind === 'percent' || to.kind === 'percent') continue;
    if (!/\bfrom\s*\S{0,3}$/i.test(from.before) || !/\bto\s*\S{0,3}$/i.test(to.before) || from.value === 0) continue;
    const rate = rateOf(from, before, after);
    if (rate === undefined) continue;
    const changes = [to.after, rate.after.slice(0, 20), text.slice(0, from.start)];
    if (!changes.some((part) => CHANGE.test(part))) continue;
    const growth = ((to.value - from.value) / from.value) * 100;
    const holds = Math.abs(Math.abs(growth) - rate.value) <= printedTolerance(rate.text);
    found.push({
      holds,
      claimed: rate,
      says: `from ${from.text} to ${to.text} is ${short(Math.abs(growth))} percent ${growth < 0 ? 'less' : 'more'}`,
    });
  }
  return found;
}

/** The rate of a growth: right before it or behind it; another clause in between speaks of something else. */
function rateOf(from: Figure, before: Figure | undefined, after: Figure | undefined): Figure | undefined {
  if (before?.kind === 'percent' && /^,?\s*\(?from\s*\S{0,3}$/i.test(from.before)) return before;
  if (after?.kind !== 'percent') return undefined;
  return after.before.length > BETWEEN_MAX || OTHER_CLAUSE.test(after.before) ? undefined : after;
}

/** What stands behind a rate that says which way it goes. */
const MORE = /^\s*(?:more|higher|above)\b/i;
const LESS = /^\s*(?:less|fewer|lower|below)\b/i;
/** Little but what it counts stands between a figure and the rate that it is told with. */
const TOLD_WITH = /^(?:\s*\p{L}+){0,2},?\s*(?:or|which is|that is)?\s*$/iu;
const IN_BRACKETS = /\([^()\d]{0,5}$/;

/** "4.86 million, 12.5% more than in 2024 (4.32 million)": the one figure, the rate, and the other in brackets. */
function growthsOver(figures: readonly Figure[]): Calculation[] {
  return figures.flatMap((rate, at) => {
    const to = figures[at - 1];
    const from = figures.slice(at + 1).find(({ before }) => IN_BRACKETS.test(before));
    if (rate.kind !== 'percent' || to === undefined || from === undefined || from.value === 0) return [];
    const alike = figures.filter(({ kind, unit }) => kind === to.kind && unit === to.unit);
    const way = MORE.test(rate.after) ? 1 : LESS.test(rate.after) ? -1 : 0;
    if (to.kind === 'percent' || alike.length !== 2 || !alike.includes(from) || way === 0) return [];
    if (!TOLD_WITH.test(rate.before)) return [];
    const growth = ((to.value - from.value) / from.value) * 100;
    // What the printed digits of both figures leave open.
    const slack = (100 * (halfDigit(to) + (halfDigit(from) * to.value) / from.value)) / from.value;
    return [
      {
        holds: Math.abs(growth - way * rate.value) <= printedTolerance(rate.text) + slack,
        claimed: rate,
        says: `from ${from.text} to ${to.text} is ${short(Math.abs(growth))} percent ${growth < 0 ? 'less' : 'more'}`,
      },
    ];
  });
}

/** Half of a figure's last printed digit, in its own unit: 5,000 for "4.86 million". */
function halfDigit({ text, value }: Figure): number {
  const printed = Number((/\d[\d,]*(?:\.\d+)?/.exec(text)?.[0] ?? '').replaceAll(',', ''));
  return printedTolerance(text) * (printed > 0 ? value / printed : 1);
}

/** "A of the B …, or P percent", where P stands right behind. */
function shares(figures: readonly Figure[]): Calculation[] {
  const found: Calculation[] = [];
  for (const [at, part] of figures.entries()) {
    const [whole, rate] = [figures[at + 1], figures[at + 2]];
    if (whole === undefined || rate?.kind !== 'percent' || part.kind !== 'number' || whole.kind !== 'number') continue;
    if (
      !/^\s+(?:out )?of (?:the |all |our |its )?$/i.test(whole.before) ||
      whole.value < part.value ||
      whole.value === 0
    )
      continue;
    if (
      !/(?:\bor\b|\bi\.e\.|\bthat is\b|\bwhich is\b|[(=,–-])\s*(?:about |around |roughly |or |a share of |a rate of )*$/i.test(
        rate.before,
      ) ||
      rate.before.length > 60
    )
      continue;
    const share = (part.value / whole.value) * 100;
    const holds = Math.abs(share - rate.value) <= printedTolerance(rate.text);
    found.push({ holds, claimed: rate, says: `${part.text} of ${whole.text} is ${short(share)} percent` });
  }
  return found;
}

/** "X … Y, a difference of Z": exactly two figures of one kind stand before it. */
function differences(figures: readonly Figure[]): Calculation[] {
  const found: Calculation[] = [];
  for (const [at, gap] of figures.entries()) {
    if (!/\b(?:difference|gap|margin|lead)\s+(?:of|is|was|comes to|=)\s*\S{0,3}$/i.test(gap.before)) continue;
    const earlier = figures
      .slice(0, at)
      .filter(({ kind, text }) => kind === gap.kind && decimalsOf(text) === decimalsOf(gap.text));
    const [one, other] = earlier.slice(-2);
    if (one === undefined || other === undefined || earlier.length > 2) continue;
    const value = Math.abs(one.value - other.value);
    const holds = Math.abs(value - gap.value) <= printedTolerance(gap.text) * (gap.kind === 'percent' ? 2 : 1);
    found.push({ holds, claimed: gap, says: `${bare(one)} and ${bare(other)} are ${short(value)} apart` });
  }
  return found;
}

const decimalsOf = (text: string): number => /\.(\d+)/.exec(text)?.[1]?.length ?? 0;
const bare = ({ text }: Figure): string => text;

const CURRENCY = '(?:(?:eur|usd|gbp|chf|cad|aud|nzd|jpy|sek|nok|dkk|pln|czk)\\s)?';
const AT_PRICE = new RegExp(`^(?:\\s*[\\p{L}-]+)?\\s*(?:\\bat\\b|[×x*])\\s*${CURRENCY}\\S{0,3}$`, 'iu');
const OF_WHOLE = new RegExp(
  `^\\s*(?:%|percent|per cent)?\\s*of\\s+(?:the |his |her |your |its |their )?${CURRENCY}\\S{0,3}$`,
  'i',
);
const COMES_TO = new RegExp(
  `^[^.;,]{0,24}?(?:=|\\b(?:come|comes|came|amount|amounts|adds?) (?:up )?to\\b|\\bmakes?\\b|\\bthat is\\b)\\s*${CURRENCY}\\S{0,3}$`,
  'i',
);
const JOINED = /^[^.;]{0,24}?(?:,|\band\b|\bplus\b|\+)\s*(?:and\s+)?\S{0,3}$/i;
const IN_CENTS = /^\s*(?:cents?|ct|pence|p|rappen|øre|öre)\b/i;

/** "A at B come to C", "A × B = C"; and of several, "A at B and D at E make C", which may mean both or the last. */
function products(figures: readonly Figure[]): Calculation[] {
  const found: Calculation[] = [];
  for (const [at, count] of figures.entries()) {
    const [price, result] = [figures[at + 1], figures[at + 2]];
    if (price === undefined || result === undefined || count.kind === 'percent') continue;
    if (!AT_PRICE.test(price.before) || !COMES_TO.test(result.before)) continue;
    // "9 × 2 × 54 = 972": two of three factors come to something else.
    if (at > 0 && AT_PRICE.test(count.before)) continue;
    const last = productOf(count, price, result);
    const terms = [last];
    for (let first = at; first >= 2 && JOINED.test(figures[first]?.before ?? ''); first -= 2) {
      const [other, of] = [figures[first - 2], figures[first - 1]];
      if (other === undefined || of === undefined || !AT_PRICE.test(of.before)) break;
      terms.unshift(productOf(other, of, result));
    }
    const value = terms.reduce((sum, term) => sum + term.value, 0);
    const near = (one: number): boolean =>
      Math.abs(one - result.value) <= Math.max(0.011, printedTolerance(result.text));
    found.push({
      holds: near(value) || near(last.value),
      claimed: result,
      says: `${terms.map(({ says }) => says).join(' + ')} = ${short(value)}`,
    });
  }
  return found;
}

/** "EUR 642: 214 waffles at EUR 3". */
function productsBefore(figures: readonly Figure[]): Calculation[] {
  return figures.flatMap((result, at) => {
    const [count, price, more] = figures.slice(at + 1);
    if (count === undefined || price === undefined || count.kind !== 'number' || more !== undefined) return [];
    if (result.kind !== 'money' || price.kind !== 'money') return [];
    if (!/^\s*:\s*$/.test(count.before) || !AT_PRICE.test(price.before)) return [];
    const { value, says } = productOf(count, price, result);
    const holds = Math.abs(value - result.value) <= Math.max(0.011, printedTolerance(result.text));
    return [{ holds, claimed: result, says: `${says} = ${short(value)}` }];
  });
}

/** "EUR 60 … is 8% of EUR 750". */
function percentages(figures: readonly Figure[]): Calculation[] {
  return figures.flatMap((rate, at) => {
    const [part, whole] = [figures[at - 1], figures[at + 1]];
    if (rate.kind !== 'percent' || part === undefined || whole === undefined || whole.value === 0) return [];
    if (part.kind !== 'money' || whole.kind !== 'money' || part.unit !== whole.unit) return [];
    if (!/\b(?:is|are|makes?|equals?)\s+(?:about |around |roughly |some )?$/i.test(rate.before)) return [];
    if (rate.before.length > BETWEEN_MAX || !OF_WHOLE.test(whole.before)) return [];
    const share = (part.value / whole.value) * 100;
    const holds = Math.abs(share - rate.value) <= printedTolerance(rate.text);
    return [{ holds, claimed: rate, says: `${part.text} of ${whole.text} is ${short(share)} percent` }];
  });
}

/** A count at a price, in the unit of what both come to: cents as euros, percent as a share. */
function productOf(count: Figure, price: Figure, result: Figure): { value: number; says: string } {
  const share = price.kind === 'percent' || (result.kind === 'money' && IN_CENTS.test(price.after)) ? 100 : 1;
  return {
    value: (count.value * price.value) / share,
    says: `${count.text} × ${price.text}${share === 1 ? '' : ' / 100'}`,
  };
}

/** "A … and B, together C" for two figures printed like the sum; "A + B = C". */
function sums(figures: readonly Figure[]): Calculation[] {
  const found: Calculation[] = [];
  for (const [at, total] of figures.entries()) {
    const named =
      /\b(?:together|in all|altogether|in total|totalling|a total of|(?:add|adds|adding) up to)[\s:,]*\S{0,3}$/i.test(
        total.before,
      );
    const equation =
      /^\s*=\s*$/.test(total.before) &&
      figures
        .slice(0, at)
        .slice(1)
        .every(({ before }) => /^\s*\+\s*$/.test(before));
    if (!named && !equation) continue;
    const parts = figures
      .slice(0, at)
      .filter(({ kind, text }) => kind === total.kind && decimalsOf(text) === decimalsOf(total.text));
    if (parts.length < 2 || (!equation && (parts.length !== 2 || decimalsOf(total.text) === 0))) continue;
    const value = parts.reduce((sum, part) => sum + part.value, 0);
    const holds = Math.abs(value - total.value) <= 0.011;
    found.push({ holds, claimed: total, says: `${parts.map(bare).join(' + ')} = ${short(value)}` });
  }
  return found;
}

/** "A less B …, so C". */
function remainders(figures: readonly Figure[]): Calculation[] {
  const found: Calculation[] = [];
  for (const [at, whole] of figures.entries()) {
    const [part, rest] = [figures[at + 1], figures[at + 2]];
    if (part === undefined || rest === undefined || part.kind === 'percent') continue;
    if (
      !/^\s*(?:less|minus|−|-)\s*\S{0,3}$/i.test(part.before) ||
      !/(?:,\s*so|=|\bmakes?|\bleaves?)\s*\S{0,3}$/i.test(rest.before)
    )
      continue;
    const value = whole.value - part.value;
    const holds = Math.abs(value - rest.value) <= 0.011;
    found.push({ holds, claimed: rest, says: `${whole.text} − ${part.text} = ${short(value)}` });
  }
  return found;
}
