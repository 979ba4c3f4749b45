import type { Span } from '../../reading/sentences.ts';

/** A text as two people may type it differently, with the place that each of its characters came from. */
type Plain = { text: string; from: number[]; to: number[] };

const SAME: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‚': "'",
  '‛': "'",
  '′': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '‟': '"',
  '″': '"',
  '«': '"',
  '»': '"',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
  '…': '...',
};
const INVISIBLE = /[\u00AD\u200B-\u200D\u2060\uFEFF]/;

function plain(text: string): Plain {
  const read: Plain = { text: '', from: [], to: [] };
  let at = 0;
  for (const character of text) {
    const end = at + character.length;
    const blank = /\s/.test(character);
    const again = blank && (read.text === '' || read.text.endsWith(' '));
    if (!again && !INVISIBLE.test(character)) {
      const same = blank ? ' ' : (SAME[character] ?? character.normalize('NFKC').toLowerCase());
      read.text += same;
      for (let unit = 0; unit < same.length; unit += 1) {
        read.from.push(at);
        read.to.push(end);
      }
    }
    at = end;
  }
  return read;
}

/** What a quotation is compared by: one space for any, straight quotation marks and hyphens, small letters. */
export function plainText(text: string): string {
  return plain(text).text.trim();
}

/**
 * Where quoted words stand in a text, in UTF-16 offsets, or undefined. Spaces, letter case and typography may differ, and
 * quotation marks or dots that a writer puts around a quotation need not stand there.
 */
export function findQuote(words: string, text: string): Span | undefined {
  const whole = plain(text);
  const asked = plainText(words);
  const bare = asked.replaceAll(/^["'. ]+|["'. ]+$/g, '');
  for (const candidate of [asked, bare]) {
    if (candidate === '') continue;
    const at = whole.text.indexOf(candidate);
    const start = whole.from[at];
    const end = whole.to[at + candidate.length - 1];
    if (at >= 0 && start !== undefined && end !== undefined) return { start, end };
  }
  return undefined;
}
