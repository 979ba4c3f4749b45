import type { ReportedStatement } from './contract.ts';
import { compareQuantities } from './reading/compare-quantities.ts';
import type { EvidenceIndex } from './reading/evidence-index.ts';
import { readQuantities } from './reading/quantities.ts';
import type { Quantity } from './reading/quantity.ts';
import { placeOf, tokenize } from './reading/tokens.ts';
import type { Work } from './statements.ts';

/** A sentence of a report that is not literally true. */
export type FalseSentence = { rule: 'quoted' | 'said' | 'nowhere' | 'counted' | 'computed'; text: string };

/**
 * Reads the sentences of a report again, knowing nothing of how they came about: words quoted from the work stand there,
 * words that a source "says" or "gives" stand in it, what "stands nowhere" is found in no form, counts are recounted and
 * calculations done once more.
 */
export class Proofreader {
  private readonly work: string;
  private readonly sources: readonly { name: string; text: string }[];
  private readonly figures: readonly Quantity[];

  constructor({ plain, value, statements }: Work, { sources, passages, labels }: EvidenceIndex) {
    const fields = typeof value === 'string' ? '' : statements.map(({ text }) => text).join('\n');
    this.work = flat(
      `${plain}\n${typeof value === 'string' ? value : JSON.stringify(value)}\n${fields}\n${statements.map(({ text }) => text).join('\n')}`,
    );
    this.sources = sources.map(({ source, text }) => ({ name: source, text: flat(text) }));
    this.figures = [...passages.flatMap(({ quantities }) => quantities), ...labels];
  }

  /** The sentences of a reason that do not hold. `counted` are the statements that it rests on. */
  read(reason: string, counted: readonly Pick<ReportedStatement, 'status'>[] = []): FalseSentence[] {
    return [
      ...this.quotations(reason),
      ...this.sayings(reason),
      ...this.nowhere(reason),
      ...this.without(reason),
      ...recount(reason, counted),
      ...recalculated(reason),
    ];
  }

  /** “…” (statement 3) */
  private quotations(reason: string): FalseSentence[] {
    return [...reason.matchAll(/“([^”]+)” \((?:statement \d+|table \d+, row \d+, [^)]*)\)/g)].flatMap(
      ({ 1: words = '', 0: text }) => (holds(this.work, words) ? [] : [{ rule: 'quoted' as const, text }]),
    );
  }

  /** SOURCE says “…”, SOURCE gives “…” */
  private sayings(reason: string): FalseSentence[] {
    const found: FalseSentence[] = [];
    for (const match of reason.matchAll(/(?: (?:says|says otherwise:|gives)|:) “([^”]+)”/g)) {
      const before = reason.slice(0, match.index);
      const named = this.sources.filter(({ name }) => name !== '' && before.endsWith(name));
      if (named.length > 0 && !named.some(({ text }) => holds(text, match[1] ?? '')))
        found.push({ rule: 'said', text: match[0] });
    }
    return found;
  }

  /** The closest passage is without “…”; SOURCE says “…” */
  private without(reason: string): FalseSentence[] {
    return [...reason.matchAll(/is without “([^”]+)”; [^“]{1,200} says “([^”]+)”/g)].flatMap(
      ({ 0: text, 1: word = '', 2: said = '' }) =>
        tokenize(said).some(({ lower }) => lower === word.toLowerCase()) ? [{ rule: 'nowhere' as const, text }] : [],
    );
  }

  /** “…”, “…” stand nowhere in the evidence. */
  private nowhere(reason: string): FalseSentence[] {
    return [...reason.matchAll(/((?:“[^”]+”(?:, )?)+) stands? nowhere in the evidence/g)].flatMap(({ 1: list = '' }) =>
      [...list.matchAll(/“([^”]+)”/g)].flatMap(({ 1: words = '' }) =>
        this.standsSomewhere(words) ? [{ rule: 'nowhere' as const, text: words }] : [],
      ),
    );
  }

  private standsSomewhere(words: string): boolean {
    if (this.sources.some(({ name, text }) => holds(text, words) || holds(flat(name), words))) return true;
    const tokens = tokenize(words);
    const [own, ...more] = readQuantities(tokens);
    if (own === undefined || more.length > 0) return false;
    // A figure stands somewhere in whatever form: 1850 in "EUR 1,850".
    return this.figures.some(
      (known) => known.kind === own.kind && known.unit === own.unit && compareQuantities(own, known) === 'same',
    );
  }
}

const flat = (text: string): string =>
  text
    .replaceAll(/\*\*|__|[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .toLowerCase();

const bareThousands = (text: string): string => text.replaceAll(/(?<=\d)[, ](?=\d{3})/g, '');

/** Personal data that was masked, and what was cut off at the end. */
const LEFT_OUT = /\[(?:[^[\]]*…\d*|postal address)\]|\S*…(?=@)|…/;

/** Whether a text holds quoted words, one part after the other where something between them was masked or cut off. */
function holds(text: string, words: string): boolean {
  let from = 0;
  const parts = flat(words).split(LEFT_OUT);
  for (const part of parts) {
    const wanted = part.trim();
    // What was cut off may have been the rest of a number.
    const at = parts.length > 1 ? text.indexOf(wanted, from) : placeOf(wanted, text);
    if (at !== -1) from = at + wanted.length;
    else if (!/\d[, ]?\d/.test(wanted) || placeOf(bareThousands(wanted), bareThousands(text)) === -1) return false;
  }
  return true;
}

const COUNTED: readonly (readonly [ReportedStatement['status'], RegExp])[] = [
  ['supported', /(\d+) (?:is|are) borne out by the evidence/],
  ['contradicted', /(\d+) (?:is|are) contradicted/],
  ['not_found', /(\d+) (?:was|were) not found in it/],
  ['not_checked', /(\d+) could not be checked/],
];

/** A statement on which sources differ is reported as not found. */
const DISPUTED = /on (\d+) the sources contradict each other/;

/** "Of 5 statements, 4 are borne out …" */
function recount(reason: string, counted: readonly Pick<ReportedStatement, 'status'>[]): FalseSentence[] {
  const sentence = /Of (\d+) statements?, [^.]*\./.exec(reason);
  if (sentence === null || counted.length === 0) return [];
  const [text, total] = sentence;
  // "Of 2 statements, 1 names its source" counts something else.
  if (!COUNTED.some(([, pattern]) => pattern.test(text)) && !DISPUTED.test(text)) return [];
  const wrong =
    Number(total) !== counted.length ||
    COUNTED.some(
      ([status, pattern]) =>
        Number(pattern.exec(text)?.[1] ?? 0) + (status === 'not_found' ? Number(DISPUTED.exec(text)?.[1] ?? 0) : 0) !==
        counted.filter((one) => one.status === status).length,
    );
  return wrong ? [{ rule: 'counted', text }] : [];
}

const NUMBER = String.raw`[€£$]?\s?-?\d[\d,]*(?:\.\d+)?`;
const numberIn = (text: string): number => Number(text.replaceAll(/[^\d.-]/g, ''));

/** "48 × 31.5 = 1,512", "96 − 64 = 32", "1 + 2 + 3 = 6", "16 × 122 + 2 × 83 = 2,118", "30 × 27.4 / 100 = 8.22" */
function recalculated(reason: string): FalseSentence[] {
  const found: FalseSentence[] = [];
  for (const match of reason.matchAll(new RegExp(`(${NUMBER}(?: [+−×/] ${NUMBER})+) = (${NUMBER})`, 'g'))) {
    const value = ` + ${match[1]}`
      .split(/(?= [+−] )/)
      .reduce((sum, term) => sum + (term.startsWith(' −') ? -productIn(term.slice(3)) : productIn(term.slice(3))), 0);
    const said = numberIn(match[2] ?? '');
    if (Math.abs(value - said) > Math.max(0.0051, Math.abs(said) * 1e-4))
      found.push({ rule: 'computed', text: match[0] });
  }
  return found;
}

/** "30 × 27.4 / 100" */
function productIn(text: string): number {
  const [first = '', ...rest] = text.split(/ ([×/]) /);
  let value = numberIn(first);
  for (let at = 0; at < rest.length; at += 2) {
    const next = numberIn(rest[at + 1] ?? '');
    value = rest[at] === '×' ? value * next : value / next;
  }
  return value;
}
