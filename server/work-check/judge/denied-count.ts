import { type Passage, passageText } from '../reading/evidence-index.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { isLight } from '../support/everyday.ts';
import { type Ground, type Judgement, placeOf, quote, sourceName, where } from './ground.ts';

/** `vegans: 0` beside "nobody vegan": borne out where the evidence denies that there is any; open with another count. */
export function judgeDeniedCount(statement: Statement, { records, index }: Ground): Judgement | undefined {
  const { record, place } = statement;
  if (record === undefined || !('path' in place) || !/^\d+$/.test(record.value)) return undefined;
  const stems = tokenize(record.column)
    .filter(({ content, stem }) => content && !isLight(stem))
    .map(({ stem }) => stem);
  if (stems.length === 0) return undefined;
  const isNone = Number(record.value) === 0;
  const inList = /\/\d+\//.test(place.path);
  const regions = inList ? records.regionsOf(place.path) : [];
  const isOfRecord = ({ source, start, end }: Passage): boolean =>
    !inList || regions.some((region) => region.source === source && region.start < end && region.end > start);
  // A number in a list may name its record.
  if (inList && !isNone) return undefined;
  const at = index.passages.findIndex(
    (passage) => !passage.instruction && isOfRecord(passage) && denies(passage, stems),
  );
  const passage = index.passages[at];
  if (passage === undefined) return undefined;
  const said = `${sourceName(index, passage.source)} says ${quote(passageText(index, passage))}`;
  const passages = placeOf(index, at);
  if (isNone) return { status: 'supported', why: `${said}.`, passages };
  return {
    status: 'not_found',
    why: `The evidence does not settle ${where(statement)}. The work gives ${record.value}, and ${said}.`,
    passages,
    open: [record.value],
    suspect: DENIED,
  };
}

const NONE = new Set(['no', 'nobody', 'none', 'without', 'zero']);

/** "Nobody vegan", "no vegans": the words stand right behind one that says there is none. */
const denies = ({ tokens }: Passage, stems: readonly string[]): boolean =>
  tokens.some(({ lower }, at) => {
    const behind = tokens.slice(at + 1).filter(({ content }) => content);
    return NONE.has(lower) && stems.every((stem, place) => behind[place]?.stem === stem);
  });

/** How much more a count that a sentence denies is to be doubted than one that stands nowhere. */
const DENIED = 3;
