import type { Work } from '../statements.ts';
import { COUNT_READERS } from './form-count-reader.ts';
import { answerCount, answerEach } from './form-counts.ts';
import { partsNamed } from './form-parts.ts';
import type { FormRule, PlacedRule, RuleAnswer } from './form-rules.ts';
import { LEVEL_READERS, SHAPE_READERS } from './form-shape-reader.ts';
import { answerShape } from './form-shapes.ts';

/** Words that say nothing beyond the rule itself: the work, what it is, and that it keeps to something. */
const GLUE = new Set(
  (
    'the a an it its this that is are be been being has have having and or of in on at to for with by as from must should shall ' +
    'can may will does do not no than more only just all any each every per single one put stays stay fits fit keep keeps kept remain ' +
    'remains under within limit limits limited length long short word words sentence sentences text work written writing write ' +
    'writes given stated which who when where whole entire total overall response answer reply output result document product ' +
    'agent draft finished final complete page pages side there contains contain includes include uses use used using consists ' +
    'consist made up runs run total number count valid format formatted form style set out laid follow follows respects respect ' +
    'obeys honours meets adheres adhere exceed exceeds requested asked required agreed characters paragraph paragraphs ' +
    'please ensure make sure level reading machine-readable ready import below above over least most fewer less lower including spaces kincaid grade flesch values value figures numbers dates date json included excluded'
  ).split(' '),
);
/** What the work may be called; a part of it may be called so too. */
const CALLED = new Set(
  (
    'summary report brief briefing release press email e-mail mail message letter note notes post article newsletter abstract ' +
    'description overview memo leaflet notice plan budget changelog entry list copy content version translation rewrite ' +
    'statement announcement tweet sms message caption recipe timeline essay blog story paper bio headline title'
  ).split(' '),
);

const wordsIn = (text: string): string[] =>
  [...text.toLowerCase().matchAll(/[\p{L}\p{N}][\p{L}\p{N}_'’-]*/gu)].map(([word]) => word);

const EACH =
  /(?<![\p{L}-])(?:each|every|all(?: of)?(?: the)?|per|no)\s+((?:[\p{L}_`"-]+\s+){0,2}?[\p{L}_`"-]+)(?=\s+(?:is|are|has|have|must|should|stays?|put|fits?|in|with|at|of|contains?|consists?|runs?|may|can|does|do|exceeds?|gets?|uses?|longer|than|described|summari[sz]ed|written|under|no|starts?|begins?|ends?|holds?|limited|kept)\b|\s*[,.;)]|\s*$)/giu;

/**
 * The element of "each …", "every …" or "… per …": at most three words up to a word of grammar or the rule itself. In
 * "Sentences have at most 20 words each" it is what the criterion begins with.
 */
function eachIn(clause: string, label = ''): string | undefined {
  if (/(?<![\p{L}-])each\s*$/iu.test(clause)) return /^\s*([\p{L}]+s)\b/u.exec(label)?.[1]?.toLowerCase() ?? 'item';
  return [...clause.matchAll(EACH)]
    .map(([, noun = '']) => noun.replaceAll(/[`"]/g, '').toLowerCase())
    .find((noun) => !/^(?:more|longer|less|fewer|other|of|the|markdown|table|json)\b/.test(noun));
}

/** The rules of form that a criterion holds, in the order of their words; none is read from words of another. */
function readRules(label: string): PlacedRule[] {
  let open = label;
  const placed: PlacedRule[] = [];
  for (const [shape, read] of [...LEVEL_READERS, ...SHAPE_READERS, ...COUNT_READERS])
    for (const match of [...open.matchAll(shape)]) {
      const rule = read([...match]);
      if (rule === undefined) continue;
      const end = match.index + match[0].length;
      placed.push({ rule, start: match.index, end });
      open = open.slice(0, match.index) + ' '.repeat(end - match.index) + open.slice(end);
    }
  return placed.sort((a, b) => a.start - b.start);
}

/**
 * Reads what a criterion asks of the form of a work: undefined when it asks nothing of it. A criterion may hold several
 * rules. Words of it that no rule covers stand as `rest` of the answer.
 */
export function readFormCriterion(whole: string): FormRule[] | undefined {
  const label = plainly(whole);
  const placed = readRules(label);
  if (placed.length === 0) return undefined;
  const unruled = blank(label, placed);
  return placed.map(({ rule, start, end }): FormRule => {
    const [from, to] = clauseAround(label, start, end);
    const clause = label.slice(from, to);
    const each = rule.kind === 'language' ? undefined : eachIn(clause, label);
    const outside = `${label.slice(from, start)} ${label.slice(end, to)}`;
    // "In one sentence, says why …" may be asked of a part of the work.
    const told = /^\s*in\b[^,]{0,40},\s*(says|states|explains|describes|tells|gives|mentions|names|sums)\b/i.exec(
      label.slice(start),
    );
    const about = [...wordsIn(outside), ...(told === null ? [] : [told[1] ?? ''])].filter(
      (word) => !GLUE.has(word) && !(each ?? '').split(' ').includes(word),
    );
    about.push(...(PLACE.exec(outside)?.slice(1) ?? []));
    const beside = wordsIn(`${unruled.slice(0, start)} ${unruled.slice(end, to)}`).filter(
      (word) => !(each ?? '').split(' ').includes(word),
    );
    const opening = OPENING.exec(label)?.[0] ?? '';
    if (opening.length <= start && wordsIn(opening).some((word) => !GLUE.has(word))) beside.push(opening.trim());
    const shared = { asked: label.slice(start, end), about, beside, ...(each === undefined ? {} : { each }) };
    return { ...rule, ...shared } as FormRule;
  });
}

/** "Description: at most 60 words" is asked of what is called so. */
const OPENING = /^\s*[\p{L}’' -]{1,40}:/u;

/** A criterion without the words of its rules. */
const blank = (label: string, placed: readonly PlacedRule[]): string =>
  placed.reduce((text, { start, end }) => text.slice(0, start) + ' '.repeat(end - start) + text.slice(end), label);

/** "Three sentences below the table": tables hold no sentences, so where they stand asks nothing more. */
const BESIDE_TABLE =
  /(?<=\b(?:sentences?|paragraphs?)) (?:(?:go|goes|stand|stands|follow|follows) )?(?:(?:below|under|beneath|above|after|before|beside|with|alongside) )?(?:the|a|its|each) tables?\b/i;

/** "No item of the list has more than three lines": each has at most three. */
const NONE_HAS_MORE = /\bno ((?:[\p{L}-]+ ){1,6}?(?:has|have|is|are|contains?|runs? to)) (?:more|longer) than\b/giu;

/** The criterion as the readers of rules take it; where words go, blanks stand. */
const plainly = (label: string): string =>
  label.replace(BESIDE_TABLE, (found) => ' '.repeat(found.length)).replaceAll(NONE_HAS_MORE, 'each $1 at most');

/** "One sentence above the table" is asked of what stands there. */
const PLACE = /\b(above|below|beneath|before|after|opening|closing) (?:the|a|an|its|it|each)\b/i;

/** The clause of a criterion that holds a rule, from comma, semicolon or "and" to the next. */
function clauseAround(label: string, start: number, end: number): [number, number] {
  const breaks = [...label.matchAll(/[,;.:](?=\s|$)|\s(?:and|but|or)\s/g)];
  const from = breaks.filter(({ index }) => index < start).at(-1);
  const to = breaks.find(({ index }) => index >= end);
  return [from === undefined ? 0 : from.index + from[0].length, to?.index ?? label.length];
}

const SUBJECT =
  /^\s*(?:(?:the|its|your|every|each)\s+)?((?:[\p{L}_-]+\s+){0,5}[\p{L}_-]+)\s+(?:has|have|is|are|stays?|fits?|must|should|runs?|contains?|keeps?|does|do|comes?)(?:\s+(?:to|be|not|never|kept|written|put|limited|only))*\s*$/iu;
const TELLS =
  /\b(?:says?|states?|explains?|describes?|tells?|gives?|mentions?|names?|shows?|covers?|answers?|why|how|what|when|who|where)\b/i;

/** The words before the verb of a clause: what a rule in it is about, and nothing more that is asked. */
function subjectOf(clause: string): string[] {
  return TELLS.test(clause) ? [] : wordsIn(SUBJECT.exec(clause)?.[1] ?? '');
}

/** "Task list as bullets": two or three words that name what has the form. */
function namedBefore(clause: string): string[] {
  const words = wordsIn(clause);
  return words.length <= NAME_WORDS_MAX && !TELLS.test(clause) ? words : [];
}

const NAME_WORDS_MAX = 3;

/**
 * What of a criterion no rule of form covers, as it stands there; undefined when nothing is left. `named` are words that
 * were understood as the name of a part of the work.
 */
function restOf(whole: string, named: readonly string[]): string | undefined {
  const label = plainly(whole);
  const rest: string[] = [];
  let from = 0;
  for (const { rule, start, end } of [
    ...readRules(label),
    { rule: undefined, start: label.length, end: label.length },
  ]) {
    const parts = label.slice(from, start).split(/[,;]|\s(?:and|but)\s/);
    const last = parts.at(-1) ?? '';
    const subject = rule?.kind === 'count' ? subjectOf(last) : rule?.kind === 'has' ? namedBefore(last) : [];
    rest.push(
      ...parts.filter((part, at) => at < parts.length - 1 || wordsIn(part).some((word) => !isSaid(word, subject))),
    );
    from = end;
  }
  const left = rest.filter((part) => {
    const each = eachIn(`${part} is`)?.split(' ') ?? [];
    return wordsIn(part).some((word) => !isSaid(word, [...each, ...named]));
  });
  return left.length === 0 ? undefined : left.map((part) => part.trim().replace(/[.]$/, '')).join('; ');
}

const isSaid = (word: string, more: readonly string[]): boolean =>
  GLUE.has(word) || CALLED.has(word) || more.includes(word);

export type FormAnswer = RuleAnswer & {
  /** What else the criterion asks; then the rules of form that are kept do not make it met. */
  rest?: string;
};

/**
 * Answers the rules of one criterion by counting and looking up. `request` is the task as the agent had it: a criterion may
 * point to the length asked there. `label` is the criterion, to tell what else it asks.
 */
export function answerForm(rules: readonly FormRule[], work: Work, request = '', label = ''): FormAnswer {
  const named = rules.flatMap((rule) => rule.about.filter((word) => partsNamed([word], work).length > 0));
  const answers = rules.map((rule) => asFarAsRead(rule, answerRule(rule, work, request), named, request));
  const failed = answers.flatMap((answer) => answer.failed ?? []);
  const has = (status: RuleAnswer['status']): boolean => answers.some((answer) => answer.status === status);
  const rest = restOf(label, named);
  const status = has('missing') ? 'missing' : has('not_assessable') || rest !== undefined ? 'not_assessable' : 'met';
  const reason = [...new Set(answers.map((answer) => answer.reason))].join(' ');
  return {
    status,
    reason,
    ...(failed.length > 0 ? { failed } : {}),
    ...(rest === undefined ? {} : { rest }),
  };
}

/**
 * A rule is broken for certain only where every word before it and beside it was understood: "Reasons: at most 25 words",
 * "ISO dates in the date fields", "not above" may ask it of something else. What the request asks for, and nothing else, is
 * the whole work by its name: beside an SMS a letter is a part.
 */
function asFarAsRead(
  { beside, ...rule }: FormRule,
  answer: RuleAnswer,
  named: readonly string[],
  request: string,
): RuleAnswer {
  if (answer.status !== 'missing') return answer;
  const [ordered, ...others] = new Set(wordsIn(request).filter((word) => CALLED.has(word)));
  const understood = (word: string): boolean =>
    named.includes(word) ||
    (rule.kind === 'count' &&
      /^(?:tables?|lists?)$/.test(word) &&
      /^(?:rows|columns|items|bullets|numbered points)$/.test(rule.unit)) ||
    (GLUE.has(word) && !TURNS.test(word)) ||
    (word === ordered && others.length === 0);
  const unread = beside.filter((word) => !understood(word));
  return unread.length === 0
    ? answer
    : {
        status: 'not_assessable',
        reason: `${answer.reason} Whether that breaks it, given “${unread.join(' ')}”, a person should say.`,
      };
}

/** Words that add no demand, and yet turn what is asked or ask it of a part. */
const TURNS = /^(?:no|not|only|above|below|over|side|text|message|sentences?|paragraphs?|pages?|words?|characters)$/;

function answerRule(rule: FormRule, work: Work, request: string): RuleAnswer {
  switch (rule.kind) {
    case 'count':
      return rule.each === undefined ? answerCount(rule, work) : answerEach(rule, rule.each, work);
    case 'as_requested': {
      const asked = lengthAsked(request);
      if (asked === undefined)
        return { status: 'not_assessable', reason: 'No length that could be counted was found in the request.' };
      return answerRule(asked, work, request);
    }
    default:
      return answerShape(rule, work);
  }
}

/** The length that a request sets for the whole work, such as "in at most 100 words" or "Stay under 150 words". */
export function lengthAsked(request: string): FormRule | undefined {
  for (const { rule, start } of readRules(request)) {
    if (rule.kind !== 'count' || rule.max === undefined || !['words', 'characters', 'sentences'].includes(rule.unit))
      continue;
    const before = request.slice(Math.max(0, start - 60), start);
    const whole =
      /(?:^|[.;(]\s*|\b(?:in|within|stays?|keep (?:it|this)|to|be|is|has|use)\s+|,\s*)$/i.test(before) ||
      /\b(?:write|draft|give|prepare|produce|make) (?:me |us )?(?:a|an|the) (?:[\p{L}-]+ ){0,2}(?:of|with)\s+$/iu.test(
        before,
      );
    if (
      whole &&
      !/\b(?:each|every|per)\b[^.;,]{0,30}$/i.test(before) &&
      !/^[^.;]{0,20}\b(?:each|per)\b/.test(request.slice(start))
    )
      return { ...rule, asked: request.slice(start), about: [], beside: [] } as FormRule;
  }
  return undefined;
}
