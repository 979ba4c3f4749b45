import { bounds } from './contract.ts';

/** Any space but a single one between words. */
const UNEVEN_SPACE = /[^\S ]| {2}|^ | $/;

/** Cuts a quotation to a readable length; what is cut off is marked. */
export function clip(text: string, characters: number = bounds.quote_characters): string {
  const flat = UNEVEN_SPACE.test(text) ? text.replaceAll(/\s+/g, ' ').trim() : text;
  return flat.length <= characters
    ? flat
    : `${flat
        .slice(0, characters - 1)
        .trimEnd()
        .toWellFormed()}…`;
}
