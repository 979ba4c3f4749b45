/** What a criterion asks of the form of a work. `asked` are its words; `about` those that may narrow it to a part, `beside` all before it and beside it. */
export type FormRule = { asked: string; about: readonly string[]; beside: readonly string[]; each?: string } & (
  | { kind: 'count'; unit: FormUnit; min?: number; max?: number; near?: number; strict?: boolean }
  | { kind: 'pages'; pages: number }
  | { kind: 'as_requested' }
  | { kind: 'has'; what: Feature; wanted: boolean }
  | { kind: 'columns'; columns: readonly string[]; quoted: boolean }
  | { kind: 'sections'; names: readonly string[] }
  | { kind: 'json' }
  | { kind: 'keys'; keys: readonly string[] }
  | { kind: 'allowed'; field: string; values: readonly string[] }
  | { kind: 'language'; code: string; name: string }
  | { kind: 'reading'; index: 'grade' | 'ease'; min?: number; max?: number }
  | { kind: 'phrase'; where: 'start' | 'end' | 'anywhere' | 'nowhere'; phrase: string }
  | { kind: 'capitals'; wanted: boolean }
  | { kind: 'plain_numbers' }
  | { kind: 'iso_dates' }
  | { kind: 'no_markdown' }
);

/** What was found of one rule. */
export type RuleAnswer = {
  status: 'met' | 'missing' | 'not_assessable';
  /** Sentences that are literally true, with the figure found and the figure asked for. */
  reason: string;
  /** Where the rule is not kept, with the words there. */
  failed?: readonly { at: string; words: string }[];
};

export type FormUnit =
  | 'words'
  | 'sentences'
  | 'characters'
  | 'paragraphs'
  | 'headings'
  | 'bullets'
  | 'numbered points'
  | 'items'
  | 'rows'
  | 'columns';

export type Feature =
  | 'headings'
  | 'bullets'
  | 'a numbered list'
  | 'a list'
  | 'a table'
  | 'emoji'
  | 'exclamation marks'
  | 'links'
  | 'code blocks';

/** A rule without what the words around it say. */
export type BareRule = FormRule extends infer R
  ? R extends FormRule
    ? Omit<R, 'asked' | 'about' | 'beside' | 'each'>
    : never
  : never;

/** A rule and where in the criterion its words stand. */
export type PlacedRule = { rule: BareRule; start: number; end: number };

/** How a rule is read: a pattern, and what its parts say. */
export type Reader = readonly [RegExp, (parts: readonly string[]) => BareRule | undefined];

/** A pattern that begins a word, in any case. */
export const phrase = (source: string): RegExp => new RegExp(String.raw`(?<![\p{L}\p{N}-])${source}`, 'giu');
