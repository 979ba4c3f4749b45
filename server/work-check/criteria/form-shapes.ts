import { clip } from '../quoting.ts';
import type { Work } from '../statements.ts';
import { failing, met, open, proseOf, quote, textOf } from './form-answers.ts';
import { headingsOf, listItems, readabilityOf, tablesIn, wordsOf } from './form-measures.ts';
import type { Feature, FormRule, RuleAnswer } from './form-rules.ts';
import { languageName } from './form-shape-reader.ts';
import {
  answerAllowed,
  answerColumns,
  answerIsoDates,
  answerJson,
  answerKeys,
  answerPlainNumbers,
  answerSections,
} from './form-structure.ts';
import { languageOf } from './language.ts';

type ShapeRule = Exclude<FormRule, { kind: 'count' | 'as_requested' }>;

export function answerShape(rule: ShapeRule, work: Work): RuleAnswer {
  switch (rule.kind) {
    case 'pages':
      return answerPages(rule.pages, work);
    case 'has':
      return rule.wanted ? answerHas(rule.what, work) : answerHasNot(rule.what, work);
    case 'columns':
      return answerColumns(rule.columns, rule.quoted, work);
    case 'sections':
      return answerSections(rule.names, work);
    case 'json':
      return answerJson(work);
    case 'keys':
      return answerKeys(rule.keys, work);
    case 'allowed':
      return answerAllowed(rule.field, rule.values, work);
    case 'language':
      return answerLanguage(rule.code, work);
    case 'reading':
      return answerReading(rule, work);
    case 'phrase':
      return answerPhrase(rule.where, rule.phrase, work);
    case 'capitals':
      return answerCapitals(rule, work);
    case 'plain_numbers':
      return answerPlainNumbers(work);
    case 'iso_dates':
      return answerIsoDates(work);
    case 'no_markdown':
      return answerNoMarkdown(work);
    default:
      return rule satisfies never;
  }
}

function instancesOf(what: Feature, text: string): string[] {
  const matched = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([found]) => found);
  switch (what) {
    case 'headings':
      return headingsOf(text).map((heading) => heading.text);
    case 'bullets':
      return listItems(text).flatMap((item) => (item.numbered ? [] : [item.text]));
    case 'a numbered list':
      return listItems(text).flatMap((item) => (item.numbered ? [item.text] : []));
    case 'a list':
      return listItems(text).map((item) => item.text);
    case 'a table':
      return tablesIn(text).map(({ header }) => header.map((cell) => cell.text).join(' | '));
    case 'emoji':
      return matched(/\p{Emoji_Presentation}/gu);
    case 'exclamation marks':
      return matched(/[^\s!]{0,20}!(?!=)/g);
    case 'links':
      return matched(/\bhttps?:\/\/[^\s)>\]]{1,200}|\[[^\]\n]{1,100}\]\([^)\s]{1,200}\)/g);
    case 'code blocks':
      return matched(/^```[^\n]{0,40}/gm);
    default:
      return what satisfies never;
  }
}

function answerHas(what: Feature, work: Work): RuleAnswer {
  const text = textOf(work);
  if (text === undefined) return open(`The work is structured; whether ${what} should stand in it is not plain.`);
  const found = instancesOf(what, text);
  if (found.length > 0) return met(`The work has ${what}, such as ${quote(found.slice(0, 1))}.`);
  // "Limits. The bikes stayed in …" is a heading to some and none to others.
  const leads = text.match(/(?:^|\n)\p{Lu}\p{L}*(?: \p{L}+){0,2}[.:]\s+\p{Lu}/gu) ?? [];
  const runIn = what === 'headings' && leads.length > 1;
  return runIn
    ? open('No line of the work is a heading; paragraphs of it open with words that may stand for one.')
    : failing(`The work has no ${what.replace(/^an? /, '')}.`);
}

function answerHasNot(what: Feature, work: Work): RuleAnswer {
  const text = proseOf(work);
  const found =
    what === 'headings'
      ? headingsOf(text).flatMap((heading) => (heading.marked ? [heading.text] : []))
      : instancesOf(what, text);
  const none = what.replace(/^an? /, '');
  if (found.length === 0) return met(`The work has no ${none}.`);
  return failing(
    `The work has ${what}: ${quote(found.slice(0, 3))}.`,
    found.slice(0, 5).map((words) => ({ at: what, words: clip(words) })),
  );
}

function answerLanguage(code: string, work: Work): RuleAnswer {
  const language = languageOf(work);
  if ('unknown' in language)
    return open(
      language.unknown === 'too short'
        ? 'The work is too short to tell its language.'
        : 'The language of the work could not be told for certain.',
    );
  const name = languageName(language.code);
  return language.code === code
    ? met(`By its letters the work is in ${name}.`)
    : failing(`By its letters the work is in ${name}; ${languageName(code)} is asked for.`);
}

/** The formulas are rough: within this of the bound they decide nothing. */
const GRADE_SLACK = 1;
/** The formulas were made for passages, not for single sentences. */
const READING_WORDS_MIN = 30;
const EASE_SLACK = 5;

function answerReading({ index, min, max, asked }: Extract<FormRule, { kind: 'reading' }>, work: Work): RuleAnswer {
  const found = readabilityOf(proseOf(work));
  if (found === undefined || found.words < READING_WORDS_MIN)
    return open('The work has too few whole sentences to work out a reading level.');
  const value = index === 'grade' ? found.grade : found.ease;
  const called = index === 'grade' ? 'Flesch–Kincaid grade level' : 'Flesch reading ease';
  const shown = `By formula the work has a ${called} of ${value} (${found.words} words in ${found.sentences} sentences)`;
  if (min === undefined && max === undefined)
    return open(`${shown}; what that means for “${clip(asked)}” is for a person to judge.`);
  const bound = max === undefined ? `at least ${min}` : `at most ${max}`;
  const over = max === undefined ? (min ?? 0) - value : value - max;
  const reason = `${shown}; ${bound} is asked for.`;
  if (over <= 0) return met(reason);
  return over > (index === 'grade' ? GRADE_SLACK : EASE_SLACK)
    ? failing(reason)
    : open(`${reason} That is within the error of the formula.`);
}

/** A page in common type holds 400 words and more. */
const PAGE_WORDS = 350;

function answerPages(pages: number, work: Work): RuleAnswer {
  const words = wordsOf(proseOf(work)).length;
  const asked = pages === 1 ? 'one page' : `${pages} pages`;
  return words <= pages * PAGE_WORDS
    ? met(`The work has ${words} words, which fit on ${asked} in common type.`)
    : open(`Whether the work fits ${asked} depends on how it is printed; it has ${words} words.`);
}

const flat = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[“”„«»]/g, '"')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[–—]/g, '-')
    .replaceAll(/\*\*|__/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

function answerPhrase(where: 'start' | 'end' | 'anywhere' | 'nowhere', phrase: string, work: Work): RuleAnswer {
  const text = proseOf(work);
  const [whole, sought] = [flat(text).replace(/^#+ /, ''), flat(phrase)];
  const shown = quote([phrase]);
  switch (where) {
    case 'start':
      return whole.startsWith(sought)
        ? met(`The work starts with ${shown}.`)
        : failing(`The work starts with ${quote([text.trim().slice(0, 60)])}, not with ${shown}.`);
    case 'end': {
      const ends = whole.endsWith(sought) || whole.replace(/[.!?]$/, '').endsWith(sought.replace(/[.!?]$/, ''));
      return ends
        ? met(`The work ends with ${shown}.`)
        : failing(`The work ends with ${quote([text.trim().slice(-60)])}, not with ${shown}.`);
    }
    case 'anywhere':
      return whole.includes(sought)
        ? met(`The work contains ${shown}.`)
        : failing(`The work does not contain ${shown}.`);
    case 'nowhere': {
      const found = new RegExp(
        `(?<![\\p{L}\\p{N}])${sought.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`,
        'u',
      ).test(whole);
      return found
        ? failing(`The work contains ${shown}.`, [{ at: 'the work', words: phrase }])
        : met(`The work does not contain ${shown}.`);
    }
    default:
      return where satisfies never;
  }
}

const SHOUTED = /(?<![\p{L}\p{N}-])\p{Lu}{4,}(?:\s+\p{Lu}{4,})+(?![\p{L}\p{N}-])/gu;

function answerCapitals({ wanted, about }: Extract<FormRule, { kind: 'capitals' }>, work: Work): RuleAnswer {
  const text = proseOf(work);
  if (!wanted) {
    const found = text.match(SHOUTED) ?? [];
    return found.length === 0
      ? met('No two words in a row of the work are in capitals.')
      : failing(
          `The work has ${quote(found.slice(0, 3))} in capitals.`,
          found.slice(0, 5).map((words) => ({ at: 'the work', words: clip(words) })),
        );
  }
  const headings = headingsOf(text).map((heading) => heading.text);
  const meant = about.some((word) => /^(?:title|headline)$/.test(word))
    ? headings.slice(0, 1)
    : about.some((word) => /heading/.test(word))
      ? headings
      : about.length === 0
        ? [text]
        : [];
  if (meant.length === 0) return open('Which words of the work should be in capitals could not be told.');
  const broken = meant.find((part) => /\p{Ll}/u.test(part));
  return broken === undefined
    ? met(`${quote(meant.slice(0, 1))} is in capitals.`)
    : failing(`${quote([broken])} is not all in capitals.`, [{ at: 'the work', words: clip(broken) }]);
}

const MARKDOWN =
  /^#{1,6} \S[^\n]{0,60}|\*\*[^*\n]{1,80}\*\*|^```[^\n]{0,40}|\[[^\]\n]{1,100}\]\([^)\s]{1,200}\)|^\|? ?:?-{3,}:? ?\|[^\n]{0,60}/gm;

function answerNoMarkdown(work: Work): RuleAnswer {
  const found = proseOf(work).match(MARKDOWN) ?? [];
  if (found.length === 0) return met('The work holds no headings, bold type, links, tables or code of Markdown.');
  return failing(
    `The work holds Markdown: ${quote(found.slice(0, 3))}.`,
    found.slice(0, 5).map((words) => ({ at: 'the work', words: clip(words) })),
  );
}
