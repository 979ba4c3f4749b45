import { type Quantity, readQuantities } from './quantities.ts';
import { tokenize } from './tokens.ts';

/**
 * The one figure of a cell or field, with its sign: "**-1,240**", "12 kg". Undefined for a date or time, several figures,
 * or a figure in more than one word of text.
 */
export function figureOfCell(text: string): Pick<Quantity, 'kind' | 'value'> | undefined {
  const bare = text.replaceAll(/\*\*|__|`/g, '').trim();
  const tokens = tokenize(bare);
  const [figure, ...more] = readQuantities(tokens);
  if (figure === undefined || more.length > 0 || figure.kind === 'date' || figure.kind === 'time') return undefined;
  if (tokens.filter(({ kind }) => kind === 'word').length > 1) return undefined;
  return { kind: figure.kind, value: /^[-−–]/.test(bare) ? -figure.value : figure.value };
}
