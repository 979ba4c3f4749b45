import { clip } from '../quoting.ts';
import { isRowNamed, rowsChosen } from './chosen-rows.ts';
import type { Kind, Reader } from './reader.ts';

const SHOWN = 3;
const ONLY =
  /^(?:(?:contains?|lists?|includes?|shows?|has|holds?) )?(?:only|just|solely|exclusively) (?:the )?\p{L}+ \p{L}+(?: (?:are|is) \p{L}+)?\.?$/iu;
const NONE = /^(?:(?:contains?|lists?|includes?) )?no \p{L}+ \p{L}+(?: (?:are|is) \p{L}+)?\.?$/iu;

/** "Only open invoices", "no paid invoices": the rows of a table that the work names, by the value that is asked for. */
const readOnly: Reader = (criterion, { work, evidence }) => {
  const text = typeof work.value === 'string' ? work.value : JSON.stringify(work.value);
  const none = NONE.test(criterion.trim());
  for (const { table, column, value, chosen, others } of rowsChosen(criterion, evidence)) {
    const [unwanted, wanted] = none ? [chosen, others] : [others, chosen];
    const [wrong, right] = [unwanted, wanted].map((rows) => rows.filter((row) => isRowNamed(row, text)));
    if (wrong === undefined || right === undefined || wrong.length + right.length === 0) continue;
    const { ref = '', source = 'the evidence' } = evidence.sources[table.source] ?? {};
    const names = wrong.slice(0, SHOWN).map((row) => `“${clip(row[0]?.text ?? '')}”`);
    const passages = wrong.slice(0, SHOWN).map((row) => ({
      ref,
      start: row[0]?.start ?? 0,
      end: Math.max(row.at(-1)?.end ?? 0, (row[0]?.start ?? 0) + 1),
    }));
    // A text may name one to say that it is none of them.
    const told = typeof work.value === 'string';
    if (wrong.length > 0)
      return {
        status: told ? 'partly_met' : 'contradicted',
        reason: `The work names ${names.join(', ')}, for which ${source} gives ${none ? '' : 'no '}“${value}” under “${column}”.${told ? ' Whether as one of them, a person should say.' : ''}`,
        passages,
      };
    return {
      status: 'met',
      reason: `Of the rows of ${source} the work names ${right.length}, ${none ? 'none' : 'each'} with “${value}” under “${column}”.`,
      passages: [],
    };
  }
  return undefined;
};

/** "All open invoices are included": the rows that have "open" in a column, each looked for by its name. */
export const chosenCovered: Reader = (criterion, { work, evidence }) => {
  const text = typeof work.value === 'string' ? work.value : JSON.stringify(work.value);
  for (const { table, column, value, chosen } of rowsChosen(criterion, evidence)) {
    const held = chosen.filter((row) => isRowNamed(row, text));
    const lost = chosen.filter((row) => !held.includes(row));
    if (held.length === 0 || chosen.length < 2) continue;
    const { ref = '', source = 'The evidence' } = evidence.sources[table.source] ?? {};
    const named = lost.slice(0, 3).map((row) => `“${clip(row[0]?.text ?? '', 80)}”`);
    const rows = `${source} has ${chosen.length} rows with “${value}” under “${column}”`;
    return {
      status: lost.length === 0 ? 'met' : 'missing',
      reason: `${rows}; the work names ${lost.length === 0 ? 'each of them' : `${held.length} of them, but not ${named.join(', ')}`}.`,
      passages: (lost.length === 0 ? held : lost).slice(0, 3).map((row) => ({
        ref,
        start: row[0]?.start ?? 0,
        end: Math.max(row.at(-1)?.end ?? 0, (row[0]?.start ?? 0) + 1),
      })),
    };
  }
  return undefined;
};

export const choice: Kind = {
  name: 'choice',
  decides: 'whether the work names only those rows of a table that share what is asked for',
  known: new RegExp(`${ONLY.source}|${NONE.source}`, 'iu'),
  read: readOnly,
};
