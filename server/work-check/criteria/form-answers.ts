import { clip } from '../quoting.ts';
import type { Work } from '../statements.ts';
import { leavesOf } from './form-measures.ts';
import type { RuleAnswer } from './form-rules.ts';

export const met = (reason: string): RuleAnswer => ({ status: 'met', reason });
export const open = (reason: string): RuleAnswer => ({ status: 'not_assessable', reason });
export const failing = (reason: string, failed: RuleAnswer['failed'] = []): RuleAnswer => ({
  status: 'missing',
  reason,
  failed,
});
export const quote = (words: readonly string[]): string => words.map((word) => `“${clip(word, 80)}”`).join(', ');

/** The work as text; undefined when it is structured. */
export const textOf = ({ value }: Work): string | undefined => (typeof value === 'string' ? value : undefined);

/** The work as it would be read aloud: its text, or the strings of structured work, one a line. */
export function proseOf(work: Work): string {
  return (
    textOf(work) ??
    leavesOf(work.value)
      .filter(({ value }) => typeof value === 'string')
      .map(({ value }) => String(value))
      .join('\n')
  );
}
