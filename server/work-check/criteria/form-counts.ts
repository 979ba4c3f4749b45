import { clip } from '../quoting.ts';
import type { Work } from '../statements.ts';
import { textOf } from './form-answers.ts';
import {
  countParagraphs,
  countSentences,
  countWords,
  headingsOf,
  leavesOf,
  listItems,
  type Measure,
  tablesIn,
  wordsOf,
} from './form-measures.ts';
import { elementsOf, type Part, partsNamed } from './form-parts.ts';
import type { FormRule, FormUnit, RuleAnswer } from './form-rules.ts';

export type CountRule = Extract<FormRule, { kind: 'count' }>;

function measure(unit: FormUnit, text: string): Measure | undefined {
  switch (unit) {
    case 'words':
      return countWords(text);
    case 'sentences':
      return countSentences(text);
    case 'characters': {
      const value = [...text.trim()].length;
      return { low: value, high: value };
    }
    case 'paragraphs':
      return countParagraphs(text);
    case 'headings': {
      const headings = headingsOf(text);
      return { low: headings.filter(({ marked }) => marked).length, high: headings.length };
    }
    case 'bullets':
    case 'numbered points':
    case 'items':
      return countItems(unit, text);
    case 'rows':
    case 'columns': {
      const [table, ...more] = tablesIn(text);
      if (table === undefined || more.length > 0) return undefined;
      const value = unit === 'rows' ? table.rows.length : table.header.length;
      return { low: value, high: value };
    }
    default:
      return unit satisfies never;
  }
}

function countItems(unit: FormUnit, text: string): Measure | undefined {
  const items = listItems(text).filter(({ numbered }) => unit === 'items' || numbered === (unit === 'numbered points'));
  if (items.length === 0 && unit === 'items') {
    const [table, ...more] = tablesIn(text);
    return table === undefined || more.length > 0 ? undefined : { low: table.rows.length, high: table.rows.length };
  }
  // Each of several lists may be meant, with or without nested items.
  const lists: number[] = [];
  let end: number | undefined;
  for (const item of items) {
    if (end === undefined || /[\p{L}\p{N}]{3}/u.test(text.slice(end, item.start))) lists.push(0);
    if (!item.nested) lists[lists.length - 1] = (lists.at(-1) ?? 0) + 1;
    end = item.end;
  }
  return { low: Math.min(items.length, ...lists), high: items.length };
}

/** The whole work by the unit of a rule. Of structured work only words and elements can be counted. */
function measureWork(unit: FormUnit, work: Work): Measure | undefined {
  const text = textOf(work);
  if (text !== undefined) return measure(unit, text);
  if (unit === 'items' || unit === 'rows')
    return work.items === undefined ? undefined : { low: work.items, high: work.items };
  if (unit !== 'words') return undefined;
  const words = leavesOf(work.value).reduce(
    (sum, { value }) => sum + (value === null ? 0 : wordsOf(String(value)).length),
    0,
  );
  return { low: words, high: words };
}

const NEAR_SHARE = 0.1;

type Bounds = { min: number; max: number };

function boundsOf({ min, max, near }: CountRule): Bounds {
  if (near !== undefined) return { min: Math.ceil(near * (1 - NEAR_SHARE)), max: Math.floor(near * (1 + NEAR_SHARE)) };
  return { min: min ?? 0, max: max ?? Number.POSITIVE_INFINITY };
}

type Standing = 'kept' | 'broken' | 'open';

/** Kept or broken when it is so however the text is counted in good faith. */
function standing({ low, high }: Measure, { min, max }: Bounds): Standing {
  if (low >= min && high <= max) return 'kept';
  return high < min || low > max ? 'broken' : 'open';
}

export function answerCount(rule: CountRule, work: Work): RuleAnswer {
  const parts = partsNamed(rule.about, work);
  if (parts.length > 0) return answerParts(rule, parts);
  const found = measureWork(rule.unit, work);
  if (found === undefined)
    return {
      status: 'not_assessable',
      reason: `It is not plain how to count ${rule.unit} in this work; ${askedFor(rule)}.`,
    };
  return answerWhole(rule, found, isNarrowed(rule, work));
}

/** Whether a rule speaks of a part of the work, which none of its headings names. */
const isNarrowed = ({ about }: CountRule, work: Work): boolean =>
  about.some((word) => !isWhole(word)) ||
  (about.some((word) => PART.test(word)) && headingsOf(textOf(work) ?? '').length > 2);

/** What holds of the whole as an upper bound holds of each part, and what the whole lacks no part has. */
function answerWhole(rule: CountRule, found: Measure, narrowed: boolean): RuleAnswer {
  const result = standing(found, boundsOf(rule));
  const reason = `The work has ${figure(found, rule)}; ${askedFor(rule)}.`;
  const open: RuleAnswer = { status: 'not_assessable', reason };
  if (result === 'open' || (rule.near !== undefined && result !== 'kept')) return open;
  if (result === 'kept' && (!narrowed || rule.min === undefined)) return { status: 'met', reason };
  const lacks = result === 'broken' && (!narrowed || found.high < (rule.min ?? 0));
  if (lacks && !(rule.unit === 'items' && rule.min === rule.max))
    return { status: 'missing', reason, failed: [{ at: 'the whole work', words: figure(found, rule) }] };
  return narrowed
    ? { ...open, reason: `${reason} Which part of it is meant by “${rule.about.join(' ')}” could not be told.` }
    : open;
}

const WHOLE =
  /^(?:table|section|summary|report|brief|briefing|release|press|e-?mail|mail|message|letter|notes?|post|article|newsletter|abstract|description|overview|memo|leaflet|notice|plan|budget|changelog|entry|list|copy|content|version|translation|rewrite|statement|announcement|tweet|caption|recipe|timeline|essay|blog|story|paper|bio|summari[sz]es?|describes?|explains?|our|their|your|us|customer|friendly|clear|concise|shortened?|brief|also|well|too|style|tone)$/;
/** What may be called a part of a longer work, when the work has parts. */
const PART =
  /^(?:summary|abstract|overview|introduction|notes?|list|entry|description|caption|bio|section|table|statement|title|headline)$/;
const isWhole = (word: string): boolean => WHOLE.test(word);

function answerParts(rule: CountRule, parts: readonly Part[]): RuleAnswer {
  const measured = parts.map((part) => ({ ...part, found: measure(rule.unit, part.text) }));
  const broken = measured.filter(({ found }) => found !== undefined && standing(found, boundsOf(rule)) === 'broken');
  const kept = measured.filter(({ found }) => found !== undefined && standing(found, boundsOf(rule)) === 'kept');
  const [first] = broken.length > 0 && rule.near === undefined ? broken : measured;
  const shown =
    first?.found === undefined ? `no ${nounOf(rule.unit, 2)} that can be counted` : figure(first.found, rule);
  const reason = `${first?.name ?? 'The work'} has ${shown}; ${askedFor(rule)}.`;
  if (broken.length > 0 && rule.near === undefined)
    return { status: 'missing', reason, failed: broken.map(({ name, text }) => ({ at: name, words: clip(text) })) };
  return { status: kept.length === measured.length ? 'met' : 'not_assessable', reason };
}

export function answerEach(rule: CountRule, noun: string, work: Work): RuleAnswer {
  const elements = elementsOf(noun, rule.unit, work);
  if (elements === undefined || elements.parts.length === 0)
    return {
      status: 'not_assessable',
      reason: `What “each ${noun}” is in the work could not be told; ${askedFor(rule)}.`,
    };
  const { called, parts, sure, all } = elements;
  const measured = parts.map((part) => ({ ...part, found: measure(rule.unit, part.text) ?? { low: 0, high: 0 } }));
  const broken = measured.filter(({ found }) => standing(found, boundsOf(rule)) === 'broken');
  const [first] = broken;
  if (first === undefined) {
    const open = measured.find(({ found }) => standing(found, boundsOf(rule)) === 'open');
    if (open !== undefined || rule.near !== undefined)
      return {
        status: 'not_assessable',
        reason: `${open?.name ?? called} has ${figure(open?.found ?? { low: 0, high: 0 }, rule)}; ${askedFor(rule)}.`,
      };
    const kept = `${capitalise(called)}: ${parts.length} looked at, none with ${against(rule)}`;
    return all
      ? { status: 'met', reason: `${kept}.` }
      : { status: 'not_assessable', reason: `${kept}. Whether “each ${noun}” means them could not be told.` };
  }
  const reason = `${first.name} has ${figure(first.found, rule)}; ${askedFor(rule)}.`;
  if (!sure || rule.near !== undefined)
    return { status: 'not_assessable', reason: `${reason} Whether “each ${noun}” means it could not be told.` };
  const more = broken.length > 1 ? ` The same goes for ${broken.length - 1} more of ${parts.length}.` : '';
  return {
    status: 'missing',
    reason: reason + more,
    failed: broken.map(({ name, text }) => ({ at: name, words: clip(text) })),
  };
}

function nounOf(unit: FormUnit, value: number): string {
  return value === 1 ? unit.replace(/s$/, '') : unit;
}

const grouped = (value: number): string => value.toLocaleString('en-US');

function figure({ low, high }: Measure, { unit, min, max, near }: CountRule): string {
  const bounds = { min: min ?? near ?? 0, max: max ?? near ?? Number.POSITIVE_INFINITY };
  const matters = low !== high && standing({ low, high }, bounds) === 'open';
  const shown = unit === 'words' || unit === 'characters' ? high : low > bounds.max ? low : high;
  if (!matters) return `${grouped(shown)} ${nounOf(unit, shown)}`;
  const how = {
    words: 'without titles and tables',
    sentences: 'counting only those that end with a stop',
    headings: 'counting only those marked as headings',
    bullets: 'in the shortest of its lists',
    items: 'in the shortest of its lists',
  };
  return `${grouped(high)} ${nounOf(unit, high)}, ${grouped(low)} ${how[unit as keyof typeof how] ?? 'counted narrowly'}`;
}

/** What was asked for, as the end of a sentence. */
function askedFor({ min, max, near, unit, strict }: CountRule): string {
  if (strict)
    return max === undefined
      ? `more than ${grouped((min ?? 1) - 1)} are asked for`
      : `fewer than ${grouped(max + 1)} are asked for`;
  if (near !== undefined) return `about ${grouped(near)} are asked for`;
  if (min !== undefined && max !== undefined)
    return min === max
      ? `exactly ${grouped(min)} ${min === 1 ? 'is' : 'are'} asked for`
      : `between ${grouped(min)} and ${grouped(max)} are asked for`;
  const value = max ?? min ?? 0;
  return `at ${max === undefined ? 'least' : 'most'} ${grouped(value)} ${value === 1 && unit !== 'words' ? 'is' : 'are'} asked for`;
}

function against({ min, max, unit }: CountRule): string {
  if (min !== undefined && min === max) return `more or fewer than ${grouped(min)} ${nounOf(unit, min)}`;
  const parts = [
    max === undefined ? '' : `more than ${grouped(max)}`,
    min === undefined ? '' : `fewer than ${grouped(min)}`,
  ];
  return `${parts.filter((part) => part !== '').join(' or ')} ${nounOf(unit, max ?? min ?? 2)}`;
}

const capitalise = (text: string): string => `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
