import { readQuantities } from './quantities.ts';
import type { Quantity } from './quantity.ts';
import type { Table } from './tables.ts';
import { tokenize } from './tokens.ts';

/** Names of columns and fields that hold years. */
const OF_YEARS =
  /\b(?:years?|dates?|fy|fiscal|financial|season|period|since|from|until|till|through|vintage|edition|model|built|opened|founded|established|published|released|launched|born|expir\w*|valid|jahr|baujahr)\b/i;

/** Whether four digits alone in a column or field of this name are a count: "1950" under "Units", not under "Built". */
export const isCount = (text: string, name: string): boolean =>
  /^[-−–+]?\d{4}$/.test(text) && !OF_YEARS.test(name.replaceAll('_', ' '));

/** Where the cells of tables start that hold four digits and no year. */
export function countsIn(tables: readonly Table[]): Set<number> {
  return new Set(
    tables.flatMap(({ header, rows }) =>
      rows.flatMap((cells) =>
        cells.flatMap(({ text, start }, column) =>
          column > 0 && isCount(text, header[column]?.text ?? '') ? [start] : [],
        ),
      ),
    ),
  );
}

/** "-14", "$-14", "EUR −14", and "(14)" in the books. */
const BELOW_ZERO =
  /^(?:[€$£]|[A-Z]{3})? ?[-−–] ?[€$£]?\d|^\((?:[€$£]|[A-Z]{3})? ?\d[\d.,\u00A0]*(?: ?(?:€|[A-Z]{3}))?\)$/;

/** "level_1", "F2", "Q3": a code. "EUR12" is none. */
const CODE = /^(?![A-Z]{3}\d)\p{L}+[_-]?\d/u;

/**
 * The one figure of a cell or field, with its sign: "**-1,240**", "12 kg". Undefined for a code, a date or time, several
 * figures, or a figure in more than one word of text. `name`: its column or field, which tells a count from a year.
 */
export function figureOfCell(text: string, name: string): Pick<Quantity, 'kind' | 'value'> | undefined {
  const bare = text.replaceAll(/\*\*|__|`/g, '').trim();
  if (CODE.test(bare)) return undefined;
  const tokens = tokenize(bare);
  const [figure, ...more] = readQuantities(tokens, undefined, () => !isCount(bare, name));
  if (figure === undefined || more.length > 0 || figure.kind === 'date' || figure.kind === 'time') return undefined;
  if (tokens.filter(({ kind }) => kind === 'word').length > 1) return undefined;
  return { kind: figure.kind, value: BELOW_ZERO.test(bare) ? -figure.value : figure.value };
}
