import { clip } from '../../quoting.ts';
import { isInstruction } from '../../reading/instructions.ts';
import { splitSentences } from '../../reading/sentences.ts';
import { tokenize } from '../../reading/tokens.ts';
import type { Statement } from '../../statements.ts';
import type { AssessmentTask, Passage } from '../port.ts';
import { plainText, textOf } from './quotes.ts';

/** How a report says what a model found: our own sentences first, the model's only where it can be shown to hold. */

const REASON_CHARS_MAX = 240;
const QUOTED = /[“"„«]([^“”"„«»]+)[”"“»]/g;
/** What only the whole of the evidence could prove. */
const OF_ALL_EVIDENCE =
  /\b(?:no|not|never|nowhere|nothing|none|without|missing|absent|lacks?|only|all|every|each|any|always)\b|n['’]t\b/i;
const ADDRESS = /@|:\/\/|\bwww\./i;

/**
 * A model's reason as far as it may be shown: one sentence of plain words whose quotations and figures all stand in `held`,
 * and that asserts no absence, which no quotation could show. Undefined when it does not hold.
 */
export function cleanReason(reason: string, held: string): string | undefined {
  const flat = reason
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  const [first] = splitSentences(flat);
  const sentence = first === undefined ? '' : flat.slice(first.start, first.end);
  if (sentence.length < 10 || sentence.length > REASON_CHARS_MAX) return undefined;
  if (ADDRESS.test(sentence) || OF_ALL_EVIDENCE.test(sentence)) return undefined;
  if (isInstruction(sentence, tokenize(sentence))) return undefined;
  const known = plainText(held);
  for (const [, words = ''] of sentence.matchAll(QUOTED)) if (!known.includes(plainText(words))) return undefined;
  const figures = new Set(known.match(/\d+(?:[.,]\d+)*/g));
  if ((sentence.match(/\d+(?:[.,]\d+)*/g) ?? []).some((figure) => !figures.has(figure))) return undefined;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** What `names` read, a sentence without its full stop, and the words that show it, or nothing. */
export type Said = { names: string; reading: string; shown: string };

/** What was read, with the reason that `name` gives, where that can be shown. */
export function withReason({ names, reading, shown }: Said, name: string, reason: string, held: string): string {
  const clean = cleanReason(reason, held);
  const said = shown === '' ? reading : `${reading}: ${shown}`;
  if (clean === undefined) return `${said}.`;
  return shown === '' && names === name ? `${said}: ${clean}` : `${said}. ${name} says: ${clean}`;
}

/** `“words” (Source)`, as every quotation of a report is written. */
export function quotation(passage: Passage, task: AssessmentTask): string {
  const name = task.evidence.sources.find(({ ref }) => ref === passage.ref)?.source.trim();
  return `“${clip(textOf(passage, task))}” (${clip(name || 'an unnamed source')})`;
}

/** Where a statement stands, and whose record it is: "tickets[2].refund_pct, F-305". */
export function placeOf({ at, record }: Statement): string {
  const identity = record?.identity;
  return identity === undefined || identity === record?.value ? at : `${at}, ${clip(identity, IDENTITY_CHARS_MAX)}`;
}

const IDENTITY_CHARS_MAX = 40;

/** Names as a sentence lists them. */
export function listed(names: readonly string[]): string {
  const unique = [...new Set(names)];
  return unique.length < 2 ? (unique[0] ?? '') : `${unique.slice(0, -1).join(', ')} and ${unique.at(-1)}`;
}
