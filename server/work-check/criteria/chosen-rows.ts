import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Cell, Table } from '../reading/tables.ts';
import { holdsWhole, stem, tokenize } from '../reading/tokens.ts';

/** The rows of a table that a word of a criterion picks by a value they share, and the others: "open" by the column Status. */
export type ChosenRows = { table: Table; column: string; value: string; chosen: Cell[][]; others: Cell[][] };

const VALUES_MAX = 8;

/** Tables of the evidence in which a word of the criterion is a value that some rows, but not all, have in one column. */
export function rowsChosen(criterion: string, { tables }: EvidenceIndex): ChosenRows[] {
  const asked = new Set(
    tokenize(criterion).flatMap(({ kind, content, stem: one }) => (kind === 'word' && content ? [one] : [])),
  );
  return tables.flatMap((table) =>
    table.header.flatMap(({ text: column }, at): ChosenRows[] => {
      if (at === 0) return [];
      const values = new Set(table.rows.map((row) => row[at]?.text.trim().toLowerCase() ?? ''));
      if (values.size < 2 || values.size > VALUES_MAX || values.size === table.rows.length) return [];
      const picked = [...values].filter((value) => /^\p{L}+$/u.test(value) && asked.has(stem(value)));
      const [value] = picked;
      if (value === undefined || picked.length > 1) return [];
      const has = (row: Cell[]): boolean => row[at]?.text.trim().toLowerCase() === value;
      return [
        {
          table,
          column,
          value,
          chosen: table.rows.filter(has),
          others: table.rows.filter((row) => !has(row)),
        },
      ];
    }),
  );
}

/** The name of a row, where it stands as a whole in a text. */
export function isRowNamed([name]: readonly Cell[], text: string): boolean {
  const wanted = name?.text.trim() ?? '';
  return wanted.length > 1 && holdsWhole(wanted, text);
}
