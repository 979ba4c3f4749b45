import { clip } from '../quoting.ts';
import { splitSentences } from '../reading/sentences.ts';
import type { Work } from '../statements.ts';
import { textOf } from './form-answers.ts';
import {
  blocksOf,
  countParagraphs,
  headingsOf,
  isProse,
  leavesOf,
  listItems,
  plainName,
  sectionOf,
  tablesIn,
} from './form-measures.ts';
import type { FormUnit } from './form-rules.ts';

/** A part of the work that a rule is about. */
export type Part = { name: string; text: string };

/** The parts that the words of a criterion name: fields of structured work, or sections of a text. */
export function partsNamed(words: readonly string[], work: Work): Part[] {
  const text = textOf(work);
  const named = new Set(words.map(plainName));
  if (text === undefined)
    return leavesOf(work.value)
      .filter(({ key, value }) => typeof value === 'string' && named.has(plainName(key)))
      .map(({ path, value }) => ({ name: `“${path}”`, text: String(value) }));
  const title = headingsOf(text)[0];
  return [...named].flatMap((name): Part[] => {
    if (/^(?:title|headline)$/.test(name) && title !== undefined) return [{ name: 'The title', text: title.text }];
    const section = sectionOf(text, name);
    return section === undefined ? [] : [{ name: `The section “${name}”`, text: section }];
  });
}

/**
 * Elements of the work of one kind. `sure`: it is plain that the criterion means them; `all`: whatever it means is among
 * them.
 */
export type Elements = { called: string; parts: Part[]; sure: boolean; all: boolean };

const LISTED = /^(?:bullet|bullet point|bullet-point|list item|item|point|entry|list entry|numbered point|step|line)$/;

/** What "each …" stands for in the work. */
export function elementsOf(noun: string, unit: FormUnit, work: Work): Elements | undefined {
  const name = plainName(noun);
  const text = textOf(work);
  if (text === undefined) return structuredElements(name, unit, work);
  const quoted = (parts: readonly string[]): Part[] =>
    parts.map((part) => ({ name: `“${clip(part, 80)}”`, text: part }));
  if (name === 'sentence')
    return {
      called: 'sentences',
      parts: quoted(splitSentences(text).map(({ start, end }) => text.slice(start, end))),
      sure: true,
      all: true,
    };
  if (name === 'paragraph')
    return {
      called: 'paragraphs',
      parts: quoted(
        blocksOf(text)
          .filter((block) => countParagraphs(block.text).low === 1)
          .map((block) => block.text),
      ),
      sure: true,
      all: true,
    };
  if (name === 'heading' || name === 'title')
    return {
      called: 'headings',
      parts: quoted(headingsOf(text).map((heading) => heading.text)),
      sure: true,
      all: true,
    };
  const column = tablesIn(text).flatMap(({ header, rows }) => {
    const at = header.findIndex((cell) => plainName(cell.text) === name);
    return at === -1 ? [] : rows.map((row) => row[at]?.text ?? '');
  });
  if (column.length > 0)
    return { called: `cells of the column “${noun}”`, parts: quoted(column), sure: true, all: true };
  const items = listItems(text);
  const bullets = /^bullet/.test(name) ? items.filter(({ numbered }) => !numbered) : items;
  return {
    called: 'list items',
    parts: quoted(bullets.map((item) => item.text)),
    sure: LISTED.test(name),
    all: LISTED.test(name),
  };
}

function structuredElements(name: string, unit: FormUnit, work: Work): Elements | undefined {
  const leaves = leavesOf(work.value);
  const strings = leaves.filter(({ value }) => typeof value === 'string');
  const part = ({ path, value }: (typeof leaves)[number]): Part => ({
    name: `“${clip(String(value), 80)}” (${path})`,
    text: String(value),
  });
  const own = strings.filter(({ key }) => plainName(key) === name || plainName(key).split(' ').at(-1) === name);
  // A field of names or numbers, asked for its sentences, tells the records apart.
  if (own.length > 0 && (unit !== 'sentences' || own.some(isProse)))
    return { called: `values of “${own[0]?.key}”`, parts: own.map(part), sure: true, all: true };
  if (Array.isArray(work.value) && LISTED.test(name) && strings.length === work.value.length)
    return { called: 'entries', parts: strings.map(part), sure: true, all: true };
  // Where records hold one field of running text, it is what is said of each of them.
  const prose = new Set(strings.filter(isProse).map(({ key, path }) => (path.includes(']') ? key : '')));
  prose.delete('');
  const [key] = prose;
  if (key === undefined) return undefined;
  const parts = strings.filter((leaf) => prose.has(leaf.key) && leaf.path.includes(']')).map(part);
  return {
    called: prose.size === 1 ? `values of “${key}”` : 'running texts',
    parts,
    sure: prose.size === 1,
    all: true,
  };
}
