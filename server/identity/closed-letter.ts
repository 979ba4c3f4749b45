import { toText } from '../kernel/money.ts';
import type { Words } from '../mail/letter.ts';

/** What an account left open when it was closed. */
export interface ClosedFacts {
  unpaid: number;
  in_work: number;
  to_review: number;
  going_back: number;
  credit_microcents: number;
}

/** Where a letter about a closed account leads: nobody can sign in to it. */
export const writeToUs = (baseUrl: string): Words['action'] => ({ label: 'Write to us', url: `${baseUrl}/contact` });

/** Confirms that an account is closed, and says what becomes of what was open. */
export function closedLetter(actor: string, facts: ClosedFacts, baseUrl: string): Words {
  const { unpaid, in_work, to_review, going_back, credit_microcents: credit } = facts;
  const open = [
    unpaid > 0 ? `Not paid: ${unpaid}. We cancel what nobody has paid, and take no money for it.` : '',
    in_work > 0 ? `Paid, without a report: ${in_work}. They run to their end; if one fails, its money goes back.` : '',
    to_review > 0
      ? `Reports that nobody has decided about: ${to_review}. Their charges stay held until we settle them.`
      : '',
    going_back > 0 ? `Money on its way back: ${going_back}. It still goes where it came from.` : '',
    credit > 0 ? `Credit left: ${toText(BigInt(credit))}. It stays in our books, and nothing can spend it.` : '',
  ].filter((line) => line !== '');
  return {
    subject: 'Your Work Check account is closed',
    action: writeToUs(baseUrl),
    paragraphs: [
      `${actor} closed the account. Its agents can do nothing any more, everybody is signed out, and its saved cards are removed.`,
      ...(open.length > 0 ? [open.join('\n')] : []),
      'What you submitted is deleted as soon as no open check needs it. Reports, receipts, books and the record of who did what stay.',
      'To come back, let an agent register with your address. That begins a new, empty account.',
      'If nobody on your account did this, write to us at once.',
    ],
  };
}
