import { isMeasure, type Quantity } from '../reading/quantities.ts';
import { convert } from './units.ts';

/** A figure that others give: "1,240 + 410 + 96 = 1,746". */
export type Derivation = { says: string; value: number };

/** A figure that may be part of a calculation, as it is written; figures of one sentence have the same `place`. */
export type Named = Pick<Quantity, 'kind' | 'value' | 'unit'> & { text: string; place?: string };

/** Enough for any honest sentence and its table row; every pair of them is tried. */
const POOL_MAX = 14;

const WRITTEN = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

/** How a number is written in a computed sentence: up to four digits behind the point, thousands marked. */
export function written(value: number): string {
  return WRITTEN.format(value);
}

/** Half of the last digit that is printed: what a figure may be off and still be the one printed. */
export function printedTolerance(text: string): number {
  const digits = /\d[\d,]*(?:\.(\d+))?/.exec(text);
  const decimals = digits?.[1]?.length ?? 0;
  return 0.5 * 10 ** -decimals + 1e-9;
}

/** From this size on a sum needs no word that says so: it hardly comes out by chance. */
const PLAIN_SUM_MIN = 100;
const ADDEND_SHARE_MIN = 0.03;
/** Where a word speaks of a sum, an addend may be this small a share of it. */
const SPOKEN_ADDEND_SHARE_MIN = 0.001;
/** Below this a difference of figures from different places is chance. */
const SMALL = 100;
const SUM =
  /\b(?:extra|plus|additional\w*|includ\w+|total|altogether|together|in all|combined|overall|sum|both|subtotal|net|gross|come to|comes to|makes?)\b/i;
const DIFFERENCE =
  /\b(?:differen\w+|gap|more|fewer|less|extra|remain\w*|left|too (?:much|many)|over|under|above|below|increase\w*|decrease\w*|drop\w*|fell|fall\w*|rose|ris\w+|gain\w*|lost|lower|higher|unspent|short|surplus|deficit|saving\w*|after|deduct\w*|minus|ahead|behind)\b/i;
const PRODUCT = /\b(?:each|per|at|times|come to|comes to|cost\w*|factor|multipl\w+|scaled?|makes?|total)\b|[×x*]/i;

/**
 * Finds how a claimed figure follows from others: a share, growth, sum, difference or product, where the sentence has a
 * word for it. `own` are figures of the statement itself, `around` those near it in the work or the evidence.
 */
export function derive(
  claimed: Quantity,
  text: string,
  sentence: string,
  own: readonly Named[],
  around: readonly Named[],
): Derivation | undefined {
  const pool = unique([...own, ...around]).slice(0, POOL_MAX);
  const close = (value: number): boolean => Math.abs(value - claimed.value) <= tolerance;
  const tolerance = printedTolerance(text);
  // Whole numbers add up to no cents: "46.00" is not what 48 less 2 leaves.
  const fits = (figures: readonly Named[]): Named[] =>
    figures.filter((one) => adds(one, claimed) && (!inCents(text) || /\d\.\d/.test(one.text)));
  const together = (one: Named, other: Named): boolean =>
    own.includes(one) || own.includes(other) || one.place === other.place;
  // A small number comes out of any two others by chance.
  const drawn = (one: Named, other: Named): boolean =>
    claimed.value >= SMALL || inCents(text) || isMeasure(claimed) || together(one, other);
  const parts = fits(pool);
  if (claimed.kind === 'percent')
    return (
      percentOf(pool, close, wayIn(sentence), isPrecise(text) ? () => true : together) ??
      (/\bpoints?\b/i.test(sentence) ? differenceOf(parts, close) : undefined)
    );
  if (claimed.kind === 'date' || claimed.kind === 'time') return undefined;
  const exact = (value: number): boolean =>
    Math.abs(value - claimed.value) <= Math.min(tolerance, Math.max(0.005, Math.abs(claimed.value) * 1e-4));
  return (
    withRate(pool, own, exact) ??
    (DIFFERENCE.test(sentence) ? differenceOf(parts, exact, drawn) : undefined) ??
    summed(claimed, sentence, fits(own), parts, exact) ??
    (PRODUCT.test(sentence) ? productOf(pool, exact, claimed) : undefined)
  );
}

const inCents = (text: string): boolean => /\d\.\d{2}(?!\d)/.test(text);

/** Whether a figure can be part of a sum or a difference that gives another: a share or a length adds to no price. */
function adds(part: Named, { kind, unit }: Quantity): boolean {
  if (part.kind === 'percent') return kind === 'percent' || /^(?:percent|point)/.test(unit);
  const bare = kind === 'number' && !isMeasure({ unit });
  if (part.kind === 'money' || isMeasure(part)) return bare || part.unit === unit;
  return true;
}

function summed(
  { value }: Quantity,
  sentence: string,
  own: readonly Named[],
  pool: readonly Named[],
  exact: (value: number) => boolean,
): Derivation | undefined {
  const spoken = SUM.test(sentence);
  if (!spoken && value < PLAIN_SUM_MIN) return undefined;
  // "500 + 8 = 508" is no sum that anybody drew.
  const least = value * (spoken ? SPOKEN_ADDEND_SHARE_MIN : ADDEND_SHARE_MIN);
  const large = (figures: readonly Named[]): Named[] => figures.filter((one) => one.value >= least);
  return sumOf(large(own), exact) ?? sumOf(large(pool), exact);
}

/** "With 20 percent VAT": a base with the statement's own percentage added, or the percentage alone. */
function withRate(
  pool: readonly Named[],
  own: readonly Named[],
  close: (value: number) => boolean,
): Derivation | undefined {
  for (const rate of own) {
    if (!/%|percent/i.test(rate.text)) continue;
    for (const base of pool) {
      if (base === rate || /%|percent/i.test(base.text)) continue;
      const [part, more] = [(base.value * rate.value) / 100, base.value * (1 + rate.value / 100)];
      if (close(more)) return { value: more, says: `${base.text} and ${rate.text} of it = ${written(more)}` };
      if (close(part)) return { value: part, says: `${rate.text} of ${base.text} = ${written(part)}` };
    }
  }
  return undefined;
}

/** Each value once, as it stands first: the statement's own figures before those around it. */
function unique(figures: readonly Named[]): Named[] {
  return figures.filter(({ value }, at) => figures.findIndex((one) => one.value === value) === at);
}

const UP = /\b(?:more|up|rose|ris\w+|increas\w*|higher|grew|gr?own|growth|gain\w*|climb\w*)\b/i;
const DOWN = /\b(?:less|fewer|down|fell|fall\w*|decreas\w*|lower|drop\w*|declin\w*|shrank|loss)\b/i;

/** Whether a sentence speaks of a rise (1), of a fall (-1), of neither or of both (0). */
const wayIn = (sentence: string): number => Number(UP.test(sentence)) - Number(DOWN.test(sentence));

/** Whether two figures are of one sort, so that one may be a share of the other: counts, sums of one currency, lengths. */
const comparable = (a: Named, b: Named): boolean =>
  a.kind === b.kind && (a.unit === b.unit || !(isMeasure(a) || isMeasure(b) || a.kind === 'money'));

/** "7.3%" hardly comes out by chance; "14%" is a share or growth of some two figures in any dozen. */
const isPrecise = (text: string): boolean => /\d[.,]\d/.test(text);

function percentOf(
  pool: readonly Named[],
  close: (value: number) => boolean,
  way: number,
  drawn: (part: Named, whole: Named) => boolean,
): Derivation | undefined {
  for (const part of pool)
    for (const whole of pool) {
      if (part === whole || whole.value === 0 || !comparable(part, whole)) continue;
      if (part.place !== undefined && whole.place !== undefined && !drawn(part, whole)) continue;
      const share = (part.value / whole.value) * 100;
      if (part.kind !== 'percent' && share > 0 && share <= 100 && close(share))
        return { value: share, says: `${part.text} of ${whole.text} is ${written(rounded(share))} percent` };
      const growth = ((part.value - whole.value) / whole.value) * 100;
      if (growth !== 0 && close(Math.abs(growth)) && (way === 0 || Math.sign(growth) === way))
        return {
          value: growth,
          says: `from ${whole.text} to ${part.text} is ${written(rounded(Math.abs(growth)))} percent ${growth > 0 ? 'more' : 'less'}`,
        };
    }
  return undefined;
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

function differenceOf(
  pool: readonly Named[],
  close: (value: number) => boolean,
  drawn: (more: Named, less: Named) => boolean = () => true,
): Derivation | undefined {
  for (const more of pool)
    for (const less of pool)
      if (more.value > less.value && less.value > 0 && close(more.value - less.value) && drawn(more, less))
        return {
          value: more.value - less.value,
          says: `${more.text} − ${less.text} = ${written(more.value - less.value)}`,
        };
  return undefined;
}

/** The sum of all the figures, of a run of them, or of two. */
function sumOf(pool: readonly Named[], close: (value: number) => boolean): Derivation | undefined {
  for (let from = 0; from < pool.length; from += 1) {
    let sum = pool[from]?.value ?? 0;
    for (let to = from + 1; to < pool.length; to += 1) {
      sum += pool[to]?.value ?? 0;
      if (close(sum))
        return {
          value: sum,
          says: `${pool
            .slice(from, to + 1)
            .map(({ text }) => text)
            .join(' + ')} = ${written(sum)}`,
        };
    }
  }
  for (const [at, one] of pool.entries())
    for (const other of pool.slice(at + 1))
      if (close(one.value + other.value))
        return {
          value: one.value + other.value,
          says: `${one.text} + ${other.text} = ${written(one.value + other.value)}`,
        };
  return undefined;
}

/** "50 ml for each of 5 litres" gives millilitres: of two measures of one kind the product is in the smaller unit. */
function givesUnit(one: Named, other: Named, { unit }: Quantity): boolean {
  const [first, second] = [one, other].filter(isMeasure).map((factor) => factor.unit);
  if (!isMeasure({ unit }) || first === undefined) return true;
  if (second === undefined) return unit === first;
  const factor = convert(1, first, second);
  return factor === undefined || unit === (factor <= 1 ? first : second);
}

function productOf(
  pool: readonly Named[],
  close: (value: number) => boolean,
  claimed: Quantity,
): Derivation | undefined {
  for (const [at, one] of pool.entries())
    for (const other of pool.slice(at + 1)) {
      if (one.value === 1 || other.value === 1) continue;
      if (close(one.value * other.value) && givesUnit(one, other, claimed))
        return {
          value: one.value * other.value,
          says: `${one.text} × ${other.text} = ${written(one.value * other.value)}`,
        };
    }
  return undefined;
}
