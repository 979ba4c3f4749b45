import { figureText, findFigure, standsAsFigure } from '../engines/figures.ts';
import { clip } from '../quoting.ts';
import { type EvidenceIndex, isHeld, passageText } from '../reading/evidence-index.ts';
import { placeOf as placeOfWords } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { type Ground, isProse, type Judgement, placeOf, quote, unsettled, where } from './ground.ts';
import type { StatementReading } from './read-statement.ts';
import { denialOf, type Rival, rivalNear, saidBy } from './rivals.ts';

const NAMED_MAX = 4;
/** It settles nothing: enough to see what it speaks of. */
const CLOSEST_CHARS = 70;
const NAME_CHARS_MIN = 3;
/** Figures and names that stand nowhere count up to here against a statement. */
const SUSPECT_MAX = 2;
const SUSPECT_OF_RIVAL = 3;

/** What no other rule speaks of: which of its figures and names stand nowhere, and the passage closest to it. */
export function judgeRest({ statement, matches }: StatementReading, { index }: Ground): Judgement {
  const near = matches.map(({ passage }) => passage);
  // The number of a row or in the name of a column is no figure of the cell.
  const from = statement.record === undefined ? 0 : statement.text.length - statement.record.value.length;
  const figures = statement.quantities.filter(({ start }) => start >= from);
  const stands = (figure: (typeof figures)[number]): boolean =>
    findFigure(statement, figure, index, near) !== undefined;
  const text = (figure: (typeof figures)[number]): string => figureText(statement, figure);
  const accounted = figures.filter(stands).map(text);
  const open = [...figures.filter((figure) => !stands(figure)).map(text), ...namesHeldNowhere(statement, index)];
  const rival =
    figures
      .filter((figure) => !stands(figure))
      .flatMap((figure) => rivalNear(statement, figure, near, index) ?? [])[0] ??
    (isProse(statement) && !statement.advice ? denialOf(statement, near, index) : undefined);
  if (rival !== undefined) return beside(rival, statement, accounted, index);
  const [closest] = near;
  const passages = closest === undefined ? [] : placeOf(index, closest);
  if (statement.advice && open.length === 0)
    return {
      status: 'not_checked',
      accounted,
      passages,
      why: `${where(statement)} is advice or a request: the evidence cannot show it right or wrong.`,
    };
  return {
    status: 'not_found',
    accounted,
    open,
    suspect: Math.min(open.length, SUSPECT_MAX),
    why: `${unsettled(statement)} ${toldOf(open, closest, index)}`,
    passages,
  };
}

/** A passage on the same thing that has another figure in the place of the statement's: at issue, and no accusation. */
function beside(rival: Rival, statement: Statement, accounted: string[], index: EvidenceIndex): Judgement {
  const { source, said } = saidBy(rival.passage, index);
  return {
    status: 'not_found',
    accounted,
    open: rival.figure === undefined ? [] : [rival.claimed],
    suspect: SUSPECT_OF_RIVAL,
    why: `${unsettled(statement)} ${source} says ${quote(said)}${rival.figure === undefined ? ', and only one of the two denies it' : `: “${clip(rival.claimed)}” against “${clip(rival.known)}”`}.`,
    passages: placeOf(index, rival.passage),
    compared: { claimed: rival.claimed, known: rival.known },
  };
}

function toldOf(open: readonly string[], closest: number | undefined, index: EvidenceIndex): string {
  const nowhere = [...new Set(open)]
    .filter((words) => !standsSomewhere(words, index))
    .slice(0, NAMED_MAX)
    .map((words) => `“${clip(words)}”`);
  if (nowhere.length > 0)
    return `${nowhere.join(', ')} ${nowhere.length === 1 ? 'stands' : 'stand'} nowhere in the evidence.`;
  const passage = index.passages[closest ?? -1];
  return passage === undefined
    ? 'No passage says it in words that could be matched.'
    : `The closest passage: “${clip(passageText(index, passage), CLOSEST_CHARS)}”.`;
}

/** Whether words stand in a text of the evidence or a title, a figure in whatever form. */
function standsSomewhere(words: string, index: EvidenceIndex): boolean {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ');
  return (
    standsAsFigure(words, index) ||
    index.sources.some(({ text, source }) => placeOfWords(plain(words), plain(`${source}\n${text}`)) !== -1)
  );
}

/** Words with a capital inside a sentence that stand neither in a text of the evidence nor in the title of a source. */
function namesHeldNowhere(statement: Statement, index: EvidenceIndex): string[] {
  const titles = index.sources.map(({ source }) => source.toLowerCase()).join('\n');
  const { tokens, text, quantities } = statement;
  const from = statement.record === undefined ? 0 : text.length - statement.record.value.length;
  const names = tokens.flatMap((token, at) => {
    const isName = token.capital && token.content && token.lower.length >= NAME_CHARS_MIN && token.start >= from;
    const inFigure = quantities.some(({ start, end }) => token.start >= start && token.end <= end);
    const isKnown = isHeld(index, token.stem) || titles.includes(token.lower);
    return isName && !inFigure && !isKnown && !opensSentence(statement, at) ? [text.slice(token.start, token.end)] : [];
  });
  return [...new Set(names)];
}

function opensSentence({ tokens, kind }: Statement, at: number): boolean {
  const before = tokens[at - 1];
  if (before === undefined) return kind !== 'leaf' && kind !== 'cell';
  return before.kind === 'mark' && /[.!?:"“(]/.test(before.lower);
}
