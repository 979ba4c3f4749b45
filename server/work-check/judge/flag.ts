import { type EvidenceIndex, type Passage, passageText } from '../reading/evidence-index.ts';
import type { Token } from '../reading/token.ts';
import { tokenize } from '../reading/tokens.ts';
import { saysYes } from '../reading/yes-no.ts';
import type { Statement } from '../statements.ts';
import { isLight } from '../support/everyday.ts';
import { entryOf } from '../support/lexicon.ts';
import { meansAlike } from '../support/word-relations.ts';
import { type Ground, type Judgement, placeOf, quote, sourceName, where } from './ground.ts';

/** How much of the weight of a field's name a sentence must hold to be about it. */
const NAMED = 0.85;
const WORDS_MIN = 2;
/** A sentence that asks for something or makes it depend on something says not that it is so. */
const OPEN = /\b(?:if|whether|mandatory|wanted|should|required|must|may|could|might|either)\b|\?\s*$/i;
const DENIES =
  /\b(?:not|no|never|without|except|excluded|none|neither|nor|unavailable|missing|lacks?|cannot)\b|n['’]t\b/i;

/** `cap_applies_to_loss_of_data: false` against the one sentence that speaks of it: said there, or denied. */
export function judgeFlag(statement: Statement, { records, index }: Ground): Judgement | undefined {
  const { record, place } = statement;
  if (record === undefined || !('path' in place) || (record.value !== 'true' && record.value !== 'false'))
    return undefined;
  const words = tokenize(record.column).filter(({ content, stem }) => content && !isLight(stem));
  const row = inRow(statement, words, index);
  if (row !== undefined) return row;
  if (words.length < WORDS_MIN) return undefined;
  const regions = records.regionsOf(place.path);
  const clauses = index.passages.flatMap((passage, at) =>
    !passage.instruction &&
    regions.some(({ source, start, end }) => source === passage.source && passage.start < end && passage.end > start)
      ? clausesAbout(words, passage, at, index)
      : [],
  );
  const told = new Set(clauses.map(({ denied }) => denied));
  const [first] = clauses;
  if (first === undefined || told.size !== 1) return undefined;
  const said = quote(passageText(index, first.passage));
  const source = sourceName(index, first.passage.source);
  const passages = placeOf(index, first.at);
  if (first.denied === (record.value === 'false'))
    return { status: 'supported', why: `${source} says ${said}.`, passages };
  return {
    status: 'not_found',
    why: `The evidence does not settle ${where(statement)}. The work gives it as ${record.value}, and ${source} says ${said}.`,
    passages,
    open: [record.value],
    suspect: SPOKEN_AGAINST,
  };
}

const SPOKEN_AGAINST = 3;

/** `framed: true` against "yes" in the column Frame of the row that the record names. */
function inRow(
  statement: Statement,
  words: readonly Token[],
  { tables, sources }: EvidenceIndex,
): Judgement | undefined {
  const { record } = statement;
  const name = record?.identity?.trim().toLowerCase() ?? '';
  const stems = words.map(({ stem }) => stem).join(' ');
  if (record === undefined || name === '' || stems === '') return undefined;
  const cells = tables.flatMap(({ source, header, rows }) => {
    const at = header.findIndex(({ text }) => stemsOf(text) === stems);
    const named = rows.filter((row) =>
      row.some(({ text }, place) => place !== at && text.trim().toLowerCase() === name),
    );
    const cell = at === -1 || named.length !== 1 ? undefined : named[0]?.[at];
    return cell === undefined ? [] : [{ source, cell, says: saysYes(cell.text) }];
  });
  const told = new Set(cells.map(({ says }) => says));
  const [first] = cells;
  if (first === undefined || first.says === undefined || told.size !== 1) return undefined;
  const { source, cell, says } = first;
  const ref = sources[source]?.ref ?? '';
  const passages = [{ ref, start: cell.start, end: Math.max(cell.end, cell.start + 1) }];
  const gives = `${sources[source]?.source ?? ''} gives “${cell.text}”`;
  if (String(says) === record.value) return { status: 'supported', why: `${gives} for it.`, passages };
  return {
    status: 'contradicted',
    why: `The work gives “${record.value}” (${statement.at}) where ${gives}.`,
    passages,
    compared: { claimed: record.value, known: cell.text },
  };
}

const stemsOf = (text: string): string =>
  tokenize(text)
    .filter(({ content, stem }) => content && !isLight(stem))
    .map(({ stem }) => stem)
    .join(' ');

/** The parts of a sentence that hold a field's words, and whether each denies them. */
function clausesAbout(
  words: readonly Token[],
  passage: Passage,
  at: number,
  index: EvidenceIndex,
): { passage: Passage; at: number; denied: boolean }[] {
  const text = passageText(index, passage);
  const clauses = text.split(/[;.](?=\s|$)|,(?=\s(?:but|and|while|whereas)\b)/);
  return clauses.flatMap((clause) => {
    if (OPEN.test(clause)) return [];
    const tokens = tokenize(clause).filter(({ content }) => content);
    let [held, total] = [0, 0];
    for (const word of words) {
      const { rarity } = entryOf(word);
      total += rarity;
      held += rarity * tokens.reduce((best, token) => Math.max(best, meansAlike(word, token)), 0);
    }
    return held >= NAMED * total ? [{ passage, at, denied: DENIES.test(clause) }] : [];
  });
}
