import type { AssessmentTask } from '../assessors/port.ts';
import { clip } from '../quoting.ts';
import type { EvidenceIndex } from '../reading/evidence-index.ts';
import type { Span } from '../reading/sentences.ts';
import { readTables } from '../reading/tables.ts';
import { isContent, tokenize } from '../reading/tokens.ts';
import { everydayFor, isLight } from '../support/everyday.ts';
import { entryOf } from '../support/lexicon.ts';
import { readAgreement } from './agreement.ts';
import type { Kind, Reader } from './reader.ts';
import { shareOf, topicOf } from './subject.ts';

/** A list that a source holds: rows of a table, an enumeration, numbered lines, or the questions somebody asks. */
type List = { source: number; head: string; enumerates: boolean; asks?: true; items: (Span & { text: string })[] };

const LISTS_MAX = 60;
const ITEMS_MAX = 60;

function listsOf({ sources }: EvidenceIndex, asksQuestions: boolean): List[] {
  const lists: List[] = [];
  for (const [source, { text, source: name }] of sources.entries()) {
    for (const table of readTables(text, source)) {
      const items = table.rows.flatMap((cells) => (cells[0] === undefined ? [] : [{ ...cells[0] }]));
      if (items.length >= 2)
        lists.push({
          source,
          enumerates: false,
          head: `${name} ${table.header.map((cell) => cell.text).join(' ')}`,
          items,
        });
    }
    lists.push(...enumerations(text, source), ...lines(text, source, name));
    if (asksQuestions) lists.push(...questions(text, source, name));
  }
  return lists.slice(0, LISTS_MAX);
}

/** "Do not take it: if …; if …; if …." */
function enumerations(text: string, source: number): List[] {
  const lists: List[] = [];
  for (const match of text.matchAll(/[^.\n;]{0,160}(?:;[^.;\n]{3,200}){1,12}/g)) {
    const start = match.index;
    const colon = match[0].indexOf(':');
    let from = start + (colon === -1 ? 0 : colon + 1);
    const items: (Span & { text: string })[] = [];
    for (const part of text.slice(from, start + match[0].length).split(';')) {
      if (part.trim() !== '') items.push({ start: from, end: from + part.length, text: part.trim() });
      from += part.length + 1;
    }
    if (items.length >= 2)
      lists.push({ source, enumerates: colon !== -1, head: match[0].slice(0, colon === -1 ? 80 : colon), items });
  }
  return lists;
}

function lines(text: string, source: number, name: string): List[] {
  const items = [
    ...text.matchAll(/^[ \t]*(?:[-*•]|\d{1,2}[.)]|(?:line|pos|item|task)\.? ?\d+:)[ \t]+(.{3,300})$/gim),
  ].map((match) => ({ start: match.index, end: match.index + match[0].length, text: match[1] ?? '' }));
  return items.length >= 2 ? [{ source, enumerates: false, head: name, items: items.slice(0, ITEMS_MAX) }] : [];
}

function questions(text: string, source: number, name: string): List[] {
  const items = [...text.matchAll(/[^.?!\n]{6,240}\?/g)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0].trim(),
  }));
  return items.length >= 1 && items.length <= ITEMS_MAX
    ? [{ source, enumerates: false, asks: true, head: `${name} question message`, items }]
    : [];
}

/** Words telling enough that an item is nowhere when none of them is. */
const TELLING = 4;

function wordsOf(text: string): { stem: string; stems: string[]; rarity: number }[] {
  return tokenize(text).flatMap((token) => {
    if (!isContent(token) || isLight(token.stem)) return [];
    const entry = entryOf(token);
    return [
      {
        stem: token.stem,
        stems: [token.stem, ...entry.synonyms, ...everydayFor(token.stem)],
        rarity: token.kind === 'number' ? 6 : entry.rarity,
      },
    ];
  });
}

/** The share of an item's weight that the work holds, and whether nothing telling of it is there. */
function heldBy(text: string, own: ReadonlySet<string>): { share: number; absent: boolean } {
  const words = wordsOf(text);
  let [found, total] = [0, 0];
  let telling = 0;
  let seen = 0;
  for (const { stems, rarity } of words) {
    total += rarity;
    const held = stems.some((stem) => own.has(stem));
    if (held) found += rarity;
    if (rarity >= TELLING) {
      telling += 1;
      if (held) seen += 1;
    }
  }
  return { share: total === 0 ? 1 : found / total, absent: telling > 0 && seen === 0 && /\p{L}{4}/u.test(text) };
}

const ITEM_FOUND = 0.5;
const QUESTION_FOUND = 0.2;
const LIST_FOUND = 0.5;
/** How much of a criterion's subject a list must be about before what it holds is owed. */
const AFFINITY = 0.3;
/** "Every amount agrees" asks of what is there. */
/** "All figures", "every amount": what is there is all that is asked about. */
const COUNTS_ALL =
  /\b(?:all|every|each) (?:\w+ )?(?:figures?|numbers?|amounts?|dates?|prices?|counts?|percentages?|periods?|times?|units?|values?|totals?)\b/i;
/** Asks whether an item is there at all. */
const ASKS_PRESENCE =
  /\b(?:listed|lists? (?:every|each|all)|cover(?:ed|s)?|complete(?:ly)?|included?|includes|(?:entry|records?|rows?) (?:for|per)|accounted|miss(?:ed|ing)|left (?:out|hanging)|lost|skipped|questions? .{0,40}answered|answers? (?:to )?(?:every|each|all|both)|dealt with|appears?|named?|mention(?:ed|s))\b/i;
/** Asks of what is there that it is right. */
export const AGREES =
  /\b(?:agrees?|agreed|match(?:es)?|correct|right|consistent|latest|last|in force|follows? from|as (?:the|our|it|in)|correction)\b/i;

const COUNTS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** "All five questions are answered" of work that repeats each question and answers it. */
function answersGiven(criterion: string, { work }: AssessmentTask): ReturnType<Reader> {
  const match = /\ball (?:of )?(?:the )?(\p{L}+|\d{1,2}) questions?\b/iu.exec(criterion);
  const asked = match === null ? 0 : COUNTS.indexOf((match[1] ?? '').toLowerCase()) + 1 || Number(match[1]);
  if (!(asked >= 2) || typeof work.value !== 'string') return undefined;
  const questions = [...work.value.matchAll(/[^.?!\n]{8,240}\?/g)];
  const answers = questions.filter(({ 0: text, index }) =>
    /^[*_\s]*[\p{L}\d“"(][^?\n]{2,}/u.test((work.value as string).slice(index + text.length).trimStart()),
  );
  if (questions.length !== asked || answers.length !== asked) return undefined;
  return {
    status: 'met',
    reason: `The work puts ${asked} questions, and a text stands behind each. Whether the answers are right is told under the statements.`,
    passages: [],
  };
}

/** "INV-301" stands in a work as it is written, or not at all. */
const IS_IDENTIFIER = /^(?=\S*\d)(?=\S*\p{L})[\p{L}\d/_.-]{3,30}$/u;

function heldAsWritten(item: string, text: string): { share: number; absent: boolean } {
  const held = text.toLowerCase().includes(item.toLowerCase());
  return { share: Number(held), absent: !held };
}

const IDENTIFIER = /\b([A-Z]{2,6})[-/ ]?\d{2,6}\b/g;
const ALL_OF =
  /\b(?:every|each|all|no)\s+(?:the\s+)?(\p{L}+)(?:\s+(?:of|in|on|from)\s+(?:the|our|its|this)\s+(\p{L}+))?/iu;

/** "Every invoice of the statement is listed": the numbers of one kind that a source gives, each looked for in the work. */
function identifiersLost(criterion: string, { work, evidence }: AssessmentTask): ReturnType<Reader> {
  const [, noun = '', of = ''] = ALL_OF.exec(criterion) ?? [];
  if (noun === '') return undefined;
  const text = typeof work.value === 'string' ? work.value : JSON.stringify(work.value);
  const own = new Set([...text.matchAll(IDENTIFIER)].map(([one]) => one));
  for (const source of evidence.sources) {
    const named = new Set(tokenize(source.source).map(({ stem }) => stem));
    if (of !== '' && !tokenize(of).every(({ stem }) => named.has(stem))) continue;
    const known = [...new Map([...source.text.matchAll(IDENTIFIER)].map((match) => [match[0], match])).values()];
    const families = new Set(known.flatMap(({ 0: one, 1: family = '' }) => (own.has(one) ? [family] : [])));
    for (const family of families) {
      const ids = known.filter((match) => match[1] === family);
      const held = ids.filter(([one]) => own.has(one));
      const lost = ids.filter(([one]) => !own.has(one));
      if (held.length < 2 || lost.length === 0 || lost.length > held.length) continue;
      const lineOf = (at: number): string => source.text.slice(source.text.lastIndexOf('\n', at) + 1, at).toLowerCase();
      const stems = new Set(lost.flatMap(({ index }) => tokenize(lineOf(index)).map(({ stem }) => stem)));
      const isNamed = tokenize(noun).some(({ stem }) => stems.has(stem) || named.has(stem));
      if (!isNamed) continue;
      const list = lost.slice(0, 4).map(([one]) => `“${one}”`);
      return {
        // Without the name of the source it may be that not all of it is asked for.
        status: of === '' ? 'partly_met' : 'missing',
        reason: `${source.source || 'The evidence'} gives ${ids.length} numbers of this kind; the work holds ${held.length} of them, but not ${list.join(', ')}.${of === '' ? ' Whether that belongs here, a person should say.' : ''}`,
        names_open: true,
        passages: lost
          .slice(0, 4)
          .map(({ 0: one, index }) => ({ ref: source.ref, start: index, end: index + one.length })),
      };
    }
  }
  return undefined;
}

/** "Covers every open item": items are read from the evidence, and each is looked for in the work. */
const readCoverage: Reader = (criterion, task) => {
  const answered = answersGiven(criterion, task);
  if (answered !== undefined) return answered;
  const gone = identifiersLost(criterion, task);
  if (gone !== undefined) return gone;
  const topic = topicOf(criterion);
  const text = `${task.work.plain} ${typeof task.work.value === 'string' ? '' : JSON.stringify(task.work.value)}`;
  const own = new Set(tokenize(text).map(({ stem }) => stem));
  const asksQuestions = /\b(?:question|ask)/i.test(criterion);
  const rated = listsOf(task.evidence, asksQuestions).map((list) => {
    const held = list.items.map((item) => ({
      item,
      ...(IS_IDENTIFIER.test(item.text) ? heldAsWritten(item.text, text) : heldBy(item.text, own)),
    }));
    const share = held.filter(({ share: found }) => found >= ITEM_FOUND).length / held.length;
    const words = tokenize(`${list.head} ${list.items.map(({ text }) => text).join(' ')}`);
    const affinity = shareOf(topic, { tokens: words, under: '', text: '' } as Parameters<typeof shareOf>[1]);
    // Whoever answers a question uses words of his own: one telling word of it is enough.
    if (list.asks === true)
      return {
        list,
        held,
        share: held.filter(({ absent, share: found }) => !absent && found >= QUESTION_FOUND).length / held.length,
        affinity: 1,
      };
    return { list, held, share, affinity };
  });
  const fitting = rated
    .filter(({ share, held }) => share >= LIST_FOUND && held.length >= 2)
    .sort((a, b) => b.affinity + b.share - (a.affinity + a.share));
  const lost = fitting.find(
    ({ held, affinity }) =>
      (affinity >= AFFINITY || topic.length === 0) &&
      held.some(({ absent }) => absent) &&
      held.filter(({ share }) => share >= ITEM_FOUND).length >= (topic.length === 0 ? 1 : 2),
  );
  const accused = readAgreement(criterion, task);
  if (accused?.status === 'contradicted' || AGREES.test(criterion) || COUNTS_ALL.test(criterion)) return accused;
  if (lost !== undefined) return missing(lost, task);
  const [best] = fitting.filter(({ affinity, share }) => affinity > 0 && share === 1);
  // That what is there is right does not show that nothing is left out.
  if (best === undefined)
    return accused?.status === 'met' && !COUNTS_ALL.test(criterion)
      ? {
          ...accused,
          status: 'partly_met',
          reason: `${accused.reason} Whether anything is left out could not be told.`,
        }
      : accused;
  const source = task.evidence.sources[best.list.source];
  return {
    // "The action for each item follows rule 5" asks more than that each stands there.
    status: ASKS_PRESENCE.test(criterion) ? 'met' : 'partly_met',
    reason: `Each of ${best.held.length} items of ${source?.source ?? 'the evidence'} stands in the work, from “${clip(best.held[0]?.item.text ?? '', 80)}” to “${clip(best.held.at(-1)?.item.text ?? '', 80)}”.`,
    passages: best.held.slice(0, 5).map(({ item }) => ({ ref: source?.ref ?? '', start: item.start, end: item.end })),
    // That an item stands there says nothing of whether what is said of it is right.
    ...(task.judged.every(({ status }) => status === 'supported') ? { statements: [...task.judged.keys()] } : {}),
  };
};

function missing(
  { list, held }: { list: List; held: { item: Span & { text: string }; absent: boolean; share: number }[] },
  { evidence }: AssessmentTask,
): ReturnType<Reader> {
  const source = evidence.sources[list.source];
  const gone = held.filter(({ absent }) => absent);
  const found = held.filter(({ share }) => share >= ITEM_FOUND).length;
  const named = gone
    .slice(0, 3)
    .map(({ item }) => `“${clip(item.text, 120)}”`)
    .join(', ');
  const doubt = list.enumerates ? '' : ' Whether it belongs here, a person should say.';
  return {
    // Only an enumeration says by itself that its items belong together.
    status: list.enumerates ? 'missing' : 'partly_met',
    reason: `${source?.source ?? 'The evidence'} lists ${held.length} items; the work holds ${found} of them, but no telling word of ${named}.${doubt}`,
    names_open: true,
    passages: gone.slice(0, 3).map(({ item }) => ({ ref: source?.ref ?? '', start: item.start, end: item.end })),
  };
}

export const coverage: Kind = {
  name: 'coverage',
  basis: 'content',
  decides: 'whether every item that a source lists, every question asked or every record stands in the work',
  known:
    /\b(?:every|each|all|everything|complete\w*|none (?:missed|is)|none of \w+ questions|questions? .{0,40}(?:answered|dealt with)|no \w+ (?:\w+ ){0,4}(?:is |are )?(?:lost|missed|missing|skipped|left out|left hanging)|accounted for|covers?|nothing (?:is )?(?:missing|left out)|whole list|lists? every|entire|both)\b/i,
  read: readCoverage,
};
