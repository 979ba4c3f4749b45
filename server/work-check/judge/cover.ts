import type { StatementReading } from '../contradictions.ts';
import { isCitation } from '../engines/sections.ts';
import { type EvidenceIndex, passagesWith } from '../reading/evidence-index.ts';
import type { Token } from '../reading/token.ts';
import { tokenize } from '../reading/tokens.ts';
import type { Statement } from '../statements.ts';
import { calculates, everydayFor, isLight } from '../support/everyday.ts';
import { matchWords, SAME_BY_SYNONYM } from '../support/passage-windows.ts';

const PASSAGES_TOGETHER = 4;

const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/;

/** Whether a word is part of a figure, as the month of a date, or a weekday beside one: the figure accounts for it. */
export function isInFigure({ start, end, lower }: Token, { quantities }: Statement): boolean {
  return (
    quantities.some((figure) => start >= figure.start && end <= figure.end) ||
    (WEEKDAY.test(lower) && quantities.some(({ kind }) => kind === 'date'))
  );
}

type Cover = {
  passages: number[];
  /** Share of the weight of the statement's words that the passages hold, in whatever form. */
  covered: number;
  /** Whether they hold each word that says something, as it stands or by one that says the same. */
  exact: boolean;
  /** Stems of words that none of them holds. */
  open: string[];
};

/** The passages that together hold most of the statement's words, best first, and what none of them holds. */
export function coverTogether(
  { wanted: all, statement }: StatementReading,
  index: EvidenceIndex,
  computed: boolean,
): Cover {
  const wanted = all.filter(
    ({ stem, token }) =>
      !isLight(stem) &&
      token.kind === 'word' &&
      !(computed && calculates(stem)) &&
      !isInFigure(token, statement) &&
      !isCitation(token, statement, index),
  );
  const { rows } = matchWords(wanted, index);
  for (const [word, { stem }] of wanted.entries())
    for (const other of everydayFor(stem))
      for (const at of passagesWith(index, other)) {
        const row = rows.get(at) ?? wanted.map(() => 0);
        row[word] = Math.max(row[word] ?? 0, SAME_BY_SYNONYM);
        rows.set(at, row);
      }
  const levels = wanted.map(() => 0);
  const passages: number[] = [];
  // The name of a source is context for what is said of it.
  const labels = new Set(index.sources.flatMap(({ source }) => tokenize(source).map(({ stem }) => stem)));
  for (const [word, { stem }] of wanted.entries()) if (labels.has(stem)) levels[word] = Math.max(levels[word] ?? 0, 1);
  const total = wanted.reduce((sum, { weight }) => sum + weight, 0) || 1;
  while (passages.length < PASSAGES_TOGETHER) {
    let [best, most] = [-1, 0];
    for (const [at, row] of rows) {
      let gain = 0;
      for (const [word, { weight }] of wanted.entries())
        gain += weight * Math.max(0, (row[word] ?? 0) - (levels[word] ?? 0));
      if (gain > most) [best, most] = [at, gain];
    }
    const row = rows.get(best);
    if (row === undefined || most < total * 0.03) break;
    for (const [word, level] of row.entries()) levels[word] = Math.max(levels[word] ?? 0, level);
    passages.push(best);
  }
  const covered = levels.reduce((sum, level, word) => sum + level * (wanted[word]?.weight ?? 0), 0) / total;
  const open = wanted.filter((_, word) => (levels[word] ?? 0) < 0.5).map(({ stem }) => stem);
  return { passages, covered, exact: levels.every((level) => level >= SAME_BY_SYNONYM), open };
}
