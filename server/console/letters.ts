import { sql } from '../kernel/sql.ts';
import type { Happening } from '../mail/due-letters.ts';
import { toBeSentAgain } from '../mail/send-letter.ts';
import type { Verb } from '../operation/verb.ts';
import { Problem } from '../problems/problem.ts';
import { enqueueLetter, type LetterMessage } from '../queue/queue.ts';
import { noteAct } from './acts.ts';
import type * as contract from './contract/customers.ts';

/** What a letter told of, in the words of its record. */
interface Told {
  action: string;
  /** A job, or an account. */
  subject: string;
  number: string;
}

/**
 * What a recorded letter told of; null for one that cannot be written again: it held a link or a code, or told of a day.
 * `about` is `deliver:job_1:5`, `card_removed:acct_1:12` or `statement:acct_1:2026-11`.
 */
export function happeningOf(kind: string, about: string): Told | null {
  if (kind !== 'purchase' && kind !== 'important') return null;
  const [, action = '', subject = '', number = ''] = /^(\w+):(\w+):([\d-]+)$/.exec(about) ?? [];
  return /^(?:job|acct)_/.test(subject) ? { action, subject, number } : null;
}

/** Has a letter written and sent once more, to its address alone: what it says is as it is now. */
export const sendLetterAgain: Verb<typeof contract.sendLetterAgain> = async ({ ctx, caller, input, tx }) => {
  const { letter_key: key, reason } = input;
  const letter = await tx.maybe<{ kind: string; about: string; sent_at: Date | null; created_at: Date }>(sql`
    select kind, about, sent_at, created_at from letters where letter_key = ${key} for no key update`);
  if (!letter) throw new Problem('not_found', 'No such letter is kept any more.');
  const told = happeningOf(letter.kind, letter.about);
  if (!told) throw new Problem('action_not_allowed', 'It held a link or a code. Whoever needs a new one asks for it.');
  if (!letter.sent_at) throw new Problem('action_not_allowed', 'It was not sent yet, and will be.');
  const { action, subject, number } = told;
  const isOfJob = subject.startsWith('job_');
  const account = isOfJob
    ? await tx.one<{ account_key: string }>(sql`select account_key from jobs where job_key = ${subject}`)
    : { account_key: subject };
  toBeSentAgain(tx, key);
  const message: Happening & LetterMessage = {
    ...account,
    kind: isOfJob ? 'purchase' : action === 'statement' ? 'digest' : 'account',
    action,
    subject,
    number: number.replace('-', ''),
    at: action === 'statement' ? `${number}-01T00:00:00.000Z` : letter.created_at.toISOString(),
  };
  enqueueLetter(tx, ctx.runtime.queue, message);
  noteAct(tx, caller, { subject: `letter:${key}`, action: 'send_letter_again', reason }, ctx.now);
  return { body: { done: true } };
};
