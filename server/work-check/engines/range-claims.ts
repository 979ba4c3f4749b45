import { type EvidenceIndex, passageText } from '../reading/evidence-index.ts';
import type { Quantity } from '../reading/quantities.ts';
import type { Span } from '../reading/sentences.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';

/** A figure that a statement places against a range of the evidence, and where it lies. */
export type RangeClaim = { claimed: string; says: string; passage: number };

const NOUN = 'range|band|bracket|limits?|window|corridor|interval|bounds';
const PLACED = new RegExp(
  String.raw`\b(within|inside|outside|above|over|below|under|beyond)\s+(?:the|our|its|their|this|that)\s+(?:[\p{L}-]+\s){0,2}(${NOUN})\b`,
  'iu',
);
const DENIES = /\b(?:not|never|neither|nor)\b|n['’]t\b/i;
const THROUGH = /^\s?(?:-|–|—|to|and)\s?\S{0,2}$/i;

type Range = { low: number; high: number; text: string; passage: number };

/** "EUR 82,000 is within the band" beside "Salary band: EUR 70,000-80,000". Undefined where it lies as the statement says. */
export function findWrongRange(statement: Statement, index: EvidenceIndex): RangeClaim | undefined {
  const { text, quantities } = statement;
  const [phrase = '', way = '', noun = ''] = PLACED.exec(text) ?? [];
  if (phrase === '' || DENIES.test(text)) return undefined;
  const at = text.indexOf(phrase);
  // "2,000 above the band" says by how much.
  const figures = quantities.filter(
    ({ kind, end }) => (kind === 'money' || kind === 'number' || kind === 'percent') && !isDistance(text, end, at),
  );
  const [figure, ...more] = figures;
  if (figure === undefined || more.length > 0) return undefined;
  const ranges = rangesOf(noun, figure, statement, index);
  const [range] = ranges;
  if (range === undefined || ranges.some(({ low, high }) => low !== range.low || high !== range.high)) return undefined;
  const lies = figure.value > range.high ? 'above' : figure.value < range.low ? 'below' : 'within';
  const ways: Readonly<Record<string, string>> = { inside: 'within', over: 'above', beyond: 'above', under: 'below' };
  const said = ways[way.toLowerCase()] ?? way.toLowerCase();
  if (said === lies || (said === 'outside' && lies !== 'within')) return undefined;
  const claimed = text.slice(figure.start, figure.end);
  return { claimed, says: `${claimed} lies ${lies} ${range.text}`, passage: range.passage };
}

const isDistance = (text: string, end: number, phrase: number): boolean =>
  end <= phrase &&
  /^\s?\p{L}{0,12}\s?$/u.test(text.slice(end, phrase)) &&
  !/\b(?:is|are|was|lies)\b/.test(text.slice(end, phrase));

/** The ranges under the same noun, in passages that share another word with the statement. */
function rangesOf(noun: string, figure: Quantity, { tokens }: Statement, index: EvidenceIndex): Range[] {
  const stem = noun.toLowerCase().replace(/s$/, '');
  const stems = new Set(tokens.filter(({ content, kind }) => content && kind === 'word').map((token) => token.stem));
  return index.passages.flatMap((passage, at): Range[] => {
    const text = passageText(index, passage);
    const shared = [...passage.stems].filter((one) => stems.has(one) && one !== stem && !/^\d/.test(one)).length;
    if (passage.instruction || shared === 0 || !new RegExp(`\\b${stem}`, 'i').test(text)) return [];
    return passage.quantities.flatMap((low, place): Range[] => {
      const high = passage.quantities[place + 1];
      if (high === undefined || low.value >= high.value) return [];
      if (!THROUGH.test(text.slice(low.end - passage.start, high.start - passage.start))) return [];
      const kinds = new Set([low.kind, high.kind]);
      if (!kinds.has(figure.kind)) return [];
      return [
        {
          low: low.value,
          high: high.value,
          text: text.slice(low.start - passage.start, high.end - passage.start),
          passage: at,
        },
      ];
    });
  });
}

const BETWEEN = /\bbetween\s+\S{0,3}$/i;
const JOINED_BY_AND = /^\s?\S{0,3}\s?and\s/i;
const CHANGES = /\bfrom\s+\S{0,3}$/i;

/** The ranges of a text: "15 to 150 ng/ml", "2-8 °C", "between 2 and 8". */
function rangesIn({ text, quantities }: Pick<Statement, 'text' | 'quantities'>, offset = 0): (Span & Bounds)[] {
  return quantities.flatMap((low, place) => {
    const high = quantities[place + 1];
    if (high === undefined || low.value >= high.value || high.kind === 'date' || high.kind === 'time') return [];
    if (low.kind !== high.kind && low.unit !== '') return [];
    const [start, end] = [low.start - offset, high.end - offset];
    const between = text.slice(low.end - offset, high.start - offset);
    const before = text.slice(0, start);
    if (!THROUGH.test(between) || CHANGES.test(before)) return [];
    if (JOINED_BY_AND.test(between) && !BETWEEN.test(before)) return [];
    const unit = /^\s*([\p{L}°%µ]+(?:\/\p{L}+)?)/u.exec(text.slice(end))?.[1]?.toLowerCase() ?? '';
    return [{ start, end, low: low.value, high: high.value, unit, kind: high.kind }];
  });
}

type Bounds = { low: number; high: number; unit: string; kind: Quantity['kind'] };

/** "Normal is 16 to 150" where the evidence gives 15 to 150 of it, and no range else that begins or ends so. */
export function findOtherBound(statement: Statement, index: EvidenceIndex): RangeClaim | undefined {
  const { text, tokens } = statement;
  const [own, ...more] = rangesIn(statement);
  if (own === undefined || more.length > 0) return undefined;
  const stems = new Set(tokens.filter(({ content, kind }) => content && kind === 'word').map(({ stem }) => stem));
  const known = index.passages.flatMap((passage, at) =>
    passage.instruction
      ? []
      : rangesIn({ text: passageText(index, passage), quantities: passage.quantities }, passage.start).map((range) => ({
          ...range,
          at,
          said: passageText(index, passage).slice(range.start, range.end),
          isAbout: [...passage.stems].some((one) => stems.has(one) && !/^\d/.test(one)),
          isNamed: tokenize(/[^.;:]*$/.exec(passageText(index, passage).slice(0, range.start))?.[0] ?? '').some(
            ({ content, kind, stem }) => content && kind === 'word' && stems.has(stem),
          ),
        })),
  );
  if (known.some(({ low, high }) => low === own.low && high === own.high)) return undefined;
  const alike = known.filter(({ low, high }) => low === own.low || high === own.high);
  const [other, ...others] = alike;
  if (other === undefined || others.length > 0 || other.kind !== own.kind) return undefined;
  const isOf = other.unit === '' || own.unit === '' ? other.isNamed : other.isAbout;
  if (!isOf) return undefined;
  // A range with another word behind it is of something else.
  if (other.unit !== own.unit && other.unit !== '' && own.unit !== '') return undefined;
  const claimed = text.slice(own.start, own.end);
  return { claimed, says: `the range is ${other.said}, not ${claimed}`, passage: other.at };
}
