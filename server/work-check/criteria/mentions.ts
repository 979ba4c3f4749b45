import { clip } from '../quoting.ts';
import { holdsWhole } from '../reading/tokens.ts';
import type { Kind, Reader } from './reader.ts';

/** "PLAT-881", "v412", "INV/82". */
const IDENTIFIER = String.raw`(?=[\p{L}\d/_.-]*\d)(?=[\p{L}\d/_.-]*\p{L})[\p{L}\d][\p{L}\d/_.-]*[\p{L}\d]`;
const NAME = String.raw`\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,3}`;
const FIGURE = String.raw`\d[\d.,:]*(?:%| (?:days?|hours?|weeks?|months?|years?|minutes?|percent|euros?|dollars?|pounds?|EUR|USD|GBP))?`;
const ONE = `(?:${IDENTIFIER}|${NAME}|${FIGURE})`;
const LISTED = `(?<words>${ONE}(?:(?:, | and | or | & |, and |, or )${ONE})*)`;
const WANTED = new RegExp(
  String.raw`^(?:(?:it|the \w+) )?(?:must |should )?(?:[Mm]entions?|[Rr]eferences?|[Rr]efers? to|[Nn]ames?|[Ii]ncludes?|[Cc]ontains?) (?:both |the (?:words?|terms?|names?|tickets?|numbers?|orders?) )?${LISTED}\.?$`,
  'u',
);
const UNWANTED = new RegExp(
  String.raw`^(?:(?:it|the \w+) )?(?:(?:[Dd]oes|[Dd]o|[Mm]ust|[Ss]hould|[Mm]ay) not |[Dd]oesn['’]t |[Dd]on['’]t |[Nn]ever |[Ww]ithout |[Nn]o |[Aa]voids? )(?:mention(?:s|ing)?(?: of)?|nam(?:e|es|ing)|reference[sd]?(?: to)?|refer to|using|uses?|includ(?:e|es|ing)|contain(?:s|ing)?) (?:the (?:words?|terms?|names?) )?${LISTED}\.?$`,
  'u',
);

const LISTS = `(?:listed|included|mentioned|named|present|in (?:it|the (?:list|work|output)))`;
const IS_IN = new RegExp(String.raw`^${LISTED} (?:is|are) ${LISTS}\.?$`, 'u');
const IS_OUT = new RegExp(String.raw`^${LISTED} (?:(?:is|are) not|isn['’]t|aren['’]t) ${LISTS}\.?$`, 'u');

/** Only an identifier has no other form; a name may be another one, and a figure written otherwise. */
type Word = { text: string; isName: boolean; isIdentifier: boolean };

const wordsOf = (listed: string): Word[] =>
  [...listed.matchAll(new RegExp(ONE, 'gu'))].map(([text]) => ({
    text,
    isName: !/\d/.test(text),
    isIdentifier: /\d/.test(text) && /^[^\s%]*\p{L}\S*$/u.test(text),
  }));

/** Whether a text holds a word or name as a whole; a name as it is written, all else in any case. */
const holds = (plain: string, { text, isName }: Word): boolean =>
  isName ? holdsWhole(text, plain) : holdsWhole(text.toLowerCase(), plain.toLowerCase());

const shown = (words: readonly Word[]): string => words.map(({ text }) => `“${clip(text)}”`).join(', ');

/** "References PLAT-881 and PLAT-882", "does not mention Omar". Words in quotation marks are read as form. */
const readMentions: Reader = (criterion, { judged, work }) => {
  const plain = criterion.trim();
  const [wanted, unwanted] = [WANTED.exec(plain) ?? IS_IN.exec(plain), UNWANTED.exec(plain) ?? IS_OUT.exec(plain)];
  const words = wordsOf((wanted ?? unwanted)?.groups?.words ?? '');
  if (words.length === 0) return undefined;
  const text = typeof work.value === 'string' ? work.plain : JSON.stringify(work.value);
  const held = words.filter((word) => holds(text, word));
  const lacking = words.filter((word) => !held.includes(word));
  const statements = judged.flatMap(({ statement }, at) =>
    held.some((word) => holds(statement.text, word)) ? [at] : [],
  );
  const found = { passages: [], statements };
  if (unwanted !== null)
    return held.length === 0
      ? { status: 'met', reason: `The work does not contain ${shown(words)}.`, passages: [] }
      : { status: 'contradicted', reason: `The work contains ${shown(held)}.`, ...found };
  if (lacking.length === 0) return { status: 'met', reason: `The work contains ${shown(words)}.`, ...found };
  if (lacking.some(({ isIdentifier }) => !isIdentifier)) return undefined;
  return { status: 'missing', reason: `The work does not contain ${shown(lacking)}.`, ...found };
};

export const mentions: Kind = {
  name: 'mention',
  decides: 'whether the work contains, or leaves out, the names and numbers that a criterion spells out',
  known: new RegExp(
    [WANTED, UNWANTED, IS_IN, IS_OUT].map(({ source }) => source.replace('?<words>', '?:')).join('|'),
    'u',
  ),
  read: readMentions,
};
