import type { JsonValue } from '../../kernel/json-value.ts';
import type { Span } from '../reading/sentences.ts';

/** Left-over text of a template: `filler` never belongs in finished work, `open` says that a value is still to come. */
export type Placeholder = Span & { kind: 'filler' | 'open' };

const SLOT =
  '(?:name|names|first name|last name|surname|full name|company|company name|client|customer|recipient|sender|date|dates|day|' +
  'month|year|time|amount|price|number|figure|value|percentage|title|subject|topic|text|content|address|city|country|' +
  'state|phone|phone number|email|e-mail|link|url|signature|position|role|job title|department|product|' +
  'product name|location|place|reason|details|description|summary|source|citation|reference|quote|item|placeholder|' +
  'organi[sz]ation|project|project name|team|version|deadline|owner)';
const ASKING =
  '(?:your|the|my|our|insert|enter|add|type|fill in|fill|put|specify|client|customer|company|recipient|contact|sender|project)';
/** "Your Name", "insert date", "Client Name Here": a slot by its name, with or without what asks to fill it. */
const SLOT_WORDS = `(?:${ASKING}[ _]){0,3}${SLOT}(?:[ _](?:here|goes here|to be (?:added|confirmed|inserted)))?`;
const FILLER: readonly RegExp[] = [
  new RegExp(String.raw`\[${SLOT_WORDS}\](?![(\[:])`, 'giu'),
  new RegExp(String.raw`<(?=[^<>\n]{1,40}[ _])${SLOT_WORDS}>`, 'giu'),
  new RegExp(
    String.raw`\((?:insert|enter|add|fill in|your)[ _](?:(?:your|the|a|an)[ _])?${SLOT}(?:[ _]here)?\)`,
    'giu',
  ),
  new RegExp(
    String.raw`(?<![\p{L}])(?:insert|enter|add|type|your) (?:(?:your|the|a|an) )?${SLOT} here(?![\p{L}])`,
    'giu',
  ),
  /\[(?:insert|enter|add|fill in|your|tbd|tbc|tba|todo|to be (?:added|confirmed|completed|determined|inserted))[^[\]\n]{0,60}\](?![([:])/giu,
  /\{\{[^{}\n]{1,60}\}\}/g,
  /\$\{[A-Za-z_][\w.]{0,40}\}/g,
  /<%=?[^%<>\n]{1,60}%>/g,
  /(?<![\p{L}\p{N}%])%[A-Z][A-Z_]{2,30}%/gu,
  /\blorem ipsum\b/gi,
  /(?<![\p{L}\p{N}])[Xx]{1,4}([./-])[Xx]{1,4}\1[Xx]{2,4}(?![\p{L}\p{N}])/gu,
  /(?<![\p{L}\p{N}])[$€£]\s?[Xx]{2,}(?:[.,][Xx]+)*(?![\p{L}\p{N}])/gu,
  /(?<![\p{L}\p{N}.,])[Xx]{2,}(?:[.,][Xx]+)?(?=\s?(?:%|(?:percent|days|weeks|months|years|hours|EUR|USD|GBP|euros|dollars|pounds|people|units)\b))/gu,
  /(?<=:[ \t]{1,4})(?:DD|MM|YYYY)([./-])(?:DD|MM)\1(?:DD|YYYY)(?=[ \t]*(?:$|[.;,]))/gm,
];
const OPEN: readonly RegExp[] = [
  /(?<![\p{L}\p{N}])(?:TBD|TBC|TBA|T\.B\.D\.|FIXME)(?![\p{L}\p{N}])/gu,
  /(?<![\p{L}\p{N}])TODO(?=:|[ \t]*(?:$|[.,;)\]]))/gmu,
  /(?<=[:=|][ \t]{0,3})\?{2,}(?=[ \t]*(?:$|[|,;]))/gm,
];

/** A request for a template wants its slots empty. */
const WANTS_SLOTS = /\b(?:templates?|placeholders?|mail ?merge|boilerplate|fill[- ]in|blanks?)\b/i;

/**
 * Left-over template text in a work. What stands in the request or the evidence in the same words, or in code, was not
 * left over by the work; where the request wants a template, nothing is.
 */
export function findPlaceholders(text: string, request = '', evidence: readonly string[] = []): Placeholder[] {
  if (WANTS_SLOTS.test(request)) return [];
  const given = [request, ...evidence];
  const code = codeSpans(text);
  const found: Placeholder[] = [];
  for (const [kind, patterns] of [['filler', FILLER] as const, ['open', OPEN] as const])
    for (const { 0: raw, index } of patterns.flatMap((pattern) => [...text.matchAll(pattern)])) {
      const end = index + raw.length;
      if (given.some((known) => known.includes(raw))) continue;
      if (code.some((span) => span.start <= index && end <= span.end)) continue;
      found.push({ start: index, end, kind });
    }
  let last = -1;
  return found
    .sort((a, b) => a.start - b.start || b.end - a.end)
    .filter(({ start, end }) => {
      if (start < last) return false;
      last = end;
      return true;
    });
}

function codeSpans(text: string): Span[] {
  return [...text.matchAll(/```[^`]*```|`[^`\n]{1,400}`/g)].map(({ 0: raw, index }) => ({
    start: index,
    end: index + raw.length,
  }));
}

const NO_ANSWER = new Set(
  (
    'done|ok|okay|all done|n/a|na|not applicable|null|nil|undefined|nan|completed|complete|finished|see above|see below|' +
    'see attached|attached|as requested|as discussed|test|testing|thought process|answer|the answer|solution|result|' +
    "output|response|idk|i do not know|i don't know|no idea|sure|here you go|here it is|let me think|to be done|todo|tbd|" +
    "let's solve this step by step|task completed|task complete|success|work product|string|text|foo|bar|asdf|hello|hello world"
  ).split('|'),
);

/** Why a work is no work at all, as a sentence; undefined when it says something. An empty list may be a right answer. */
export function triviality(product: JsonValue): string | undefined {
  if (typeof product === 'string') return trivialText(product);
  if (Array.isArray(product) && product.length === 0) return undefined;
  const leaves: JsonValue[] = [];
  collectLeaves(product, leaves);
  if (leaves.length === 0) return typeof product === 'object' ? 'The work holds no value.' : undefined;
  const empty = leaves.every((leaf) => leaf === null || (typeof leaf === 'string' && trivialText(leaf) !== undefined));
  return empty ? 'No field of the work holds a value that says anything.' : undefined;
}

function collectLeaves(value: JsonValue, leaves: JsonValue[]): void {
  if (typeof value !== 'object' || value === null) leaves.push(value);
  else for (const item of Object.values(value)) collectLeaves(item, leaves);
}

function trivialText(text: string): string | undefined {
  if (text.trim() === '') return 'The work is empty.';
  if (!/[\p{L}\p{N}]/u.test(text)) return 'The work holds no word and no figure.';
  const words = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s"'*#`>-]+|[\s"'*`.:!,;…-]+$/g, '');
  return NO_ANSWER.has(words) ? `The work is only “${text.trim()}”.` : undefined;
}
