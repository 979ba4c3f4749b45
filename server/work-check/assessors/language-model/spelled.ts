/** Numbers spelled out in German and Dutch, as transcripts have them: "sechsundzwanzig", "achttien duizend vier honderd". */

const numbered = (words: string, from: number, step = 1): [string, number][] =>
  words.split(' ').flatMap((forms, at) => forms.split('/').map((form): [string, number] => [form, from + at * step]));

const ONES = new Map(
  [
    numbered('eins/ein/eine/een/één zwei/twee drei/drie vier fünf/vijf sechs/zes sieben/zeven acht neun/negen', 1),
    numbered('zehn/tien elf zwölf/twaalf dreizehn/dertien vierzehn/veertien fünfzehn/vijftien', 10),
    numbered('sechzehn/zestien siebzehn/zeventien achtzehn/achttien neunzehn/negentien', 16),
  ].flat(),
);
const TENS = new Map(
  numbered(
    'zwanzig/twintig dreißig/dreissig/dertig vierzig/veertig fünfzig/vijftig sechzig/zestig siebzig/zeventig achtzig/tachtig neunzig/negentig',
    20,
    10,
  ),
);
const oneOf = (words: ReadonlyMap<string, number>): string =>
  [...words.keys()].sort((a, b) => b.length - a.length).join('|');
const AND = String.raw`\s?(?:und|en|ën)\s?`;
const BELOW_HUNDRED = `(?:(?:(?:${oneOf(ONES)})${AND})?(?:${oneOf(TENS)})|(?:${oneOf(ONES)}))`;
const above = (below: string, word: string): string =>
  String.raw`(?:(?:${below}\s?)?(?:${word})(?:(?:${AND}|\s?)${below})?|${below})`;
const BELOW_THOUSAND = above(BELOW_HUNDRED, 'hundert|honderd');
const NUMBER = new RegExp(String.raw`(?<!\p{L})${above(BELOW_THOUSAND, 'tausend|duizend')}(?!\p{L})`, 'giu');

/** Smaller ones are words of other meaning, too, and are read where a figure is asked for. */
const SMALL_MAX = 12;

function numberIn(text: string): number {
  for (const [word, size] of [
    [/tausend|duizend/, 1000],
    [/hundert|honderd/, 100],
  ] as const) {
    const found = word.exec(text);
    if (found === null) continue;
    const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
    return (
      (before === '' ? 1 : numberIn(before)) * size + (after === '' ? 0 : numberIn(after.replace(/^(?:und|en)/, '')))
    );
  }
  for (const [word, tens] of TENS)
    if (text.endsWith(word)) {
      const ones = text.slice(0, -word.length).replace(/(?:und|en|ën)$/, '');
      return tens + (ONES.get(ones) ?? 0);
    }
  return ONES.get(text) ?? 0;
}

/** A text with its numbers from 13 on in digits: "zes en twintig september" as "26 september". */
export const inDigits = (text: string): string =>
  text.replaceAll(NUMBER, (words) => {
    const value = numberIn(words.toLowerCase().replaceAll(/\s/g, ''));
    return value > SMALL_MAX ? String(value) : words;
  });
