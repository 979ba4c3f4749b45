import type { EvidenceIndex } from '../reading/evidence-index.ts';
import { type Quantity, readQuantities } from '../reading/quantities.ts';
import { tokenize } from '../reading/tokens.ts';

/** For each source that a newer version of it replaces, the newer one. */
export type Versions = ReadonlyMap<number, number>;

/** Share of the words in two names that must be the same before they can be versions of one thing. */
const SAME_NAME = 0.6;

/**
 * Sources that are versions of one thing: names alike but for a version number or a date, and a newer number, date or
 * `observed_at`. A version is replaced only where nothing in the evidence lies in the time it was in force.
 */
export function versionsIn(index: EvidenceIndex): Versions {
  const replaced = new Map<number, number>();
  const names = index.sources.map(({ source, observed_at }) => ({
    words: wordsOf(source),
    age: ageOf(source, observed_at),
  }));
  for (const [older, a] of names.entries())
    for (const [newer, b] of names.entries()) {
      if (older === newer || a.age === undefined || b.age === undefined || !(a.age < b.age)) continue;
      if (likeness(a.words, b.words) < SAME_NAME || isStillInForce(older, index)) continue;
      const known = replaced.get(older);
      if (known === undefined || (names[known]?.age ?? 0) < b.age) replaced.set(older, newer);
    }
  return replaced;
}

function wordsOf(name: string): Set<string> {
  return new Set(
    tokenize(name)
      .filter(({ kind, lower }) => kind === 'word' && !MONTHS.test(lower) && lower.length > 1)
      .map(({ stem }) => stem),
  );
}

const MONTHS = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/;

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared < 2 ? 0 : shared / Math.max(a.size, b.size);
}

/** A number that grows with newer versions: the version, else the date in the name, else when it was seen. */
function ageOf(name: string, observed: string | null): number | undefined {
  const version = /\b(?:version|rev(?:ision)?|v|edition|draft|rc)\.?\s*(\d+(?:\.\d+)?)/i.exec(name);
  if (version !== null) return Number(version[1]);
  const date = readQuantities(tokenize(name)).find(
    (figure) => figure.kind === 'date' && (figure.day !== undefined || figure.year !== undefined),
  );
  if (date !== undefined) return dayNumber(date) / 1e6;
  const time = observed === null ? Number.NaN : Date.parse(observed);
  return Number.isNaN(time) ? undefined : time;
}

const dayNumber = ({ year = 0, month = 0, day = 0 }: Quantity): number => year * 372 + month * 31 + day;

const IN_FORCE = /\bin force\b|\bvalid\b|\bfor (?:all )?orders? placed\b|\bapplies? to\b|\beffective\b/i;
const HAPPENED =
  /\b(?:placed|ordered|bought|purchased|signed|booked|dated|delivered|joined|began|started|admitted|hired)\b/i;

/** Whether something in other sources happened within the time that a version says it was in force. */
function isStillInForce(source: number, index: EvidenceIndex): boolean {
  const sentence = index.passages.find((passage) => passage.source === source && IN_FORCE.test(textOf(index, passage)));
  const dates =
    sentence?.quantities.filter(
      ({ kind, year, month }) => kind === 'date' && year !== undefined && month !== undefined,
    ) ?? [];
  const [from, to] = dates;
  if (from === undefined || to === undefined) return false;
  return index.passages.some(
    (passage) =>
      passage.source !== source &&
      HAPPENED.test(textOf(index, passage)) &&
      passage.quantities.some(
        (figure) =>
          figure.kind === 'date' &&
          figure.year !== undefined &&
          dayNumber(figure) >= dayNumber(from) &&
          dayNumber(figure) <= dayNumber(to),
      ),
  );
}

const textOf = (index: EvidenceIndex, { source, start, end }: { source: number; start: number; end: number }): string =>
  index.sources[source]?.text.slice(start, end) ?? '';
