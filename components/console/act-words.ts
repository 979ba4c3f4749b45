import { amountText } from '@/components/purchases/Price.tsx';
import type { ActionName } from '@/server/console/contract/purchases.ts';
import { lasting } from '@/server/service/terms.ts';

interface ActWords {
  button: string;
  /** The confirmation's question, and the consequences of a yes. */
  title: string;
  text: string;
  confirm: (amount: string) => string;
  done: string;
  danger?: boolean;
}

/** The name of each action on a purchase, and its confirmation. */
export const actWords: Record<ActionName, ActWords> = {
  ask_again: {
    button: 'Ask the provider again',
    title: 'Ask the provider how it stands?',
    text: 'The provider is asked by the same payment. It is safe to repeat: money moves once at most.',
    confirm: () => 'Ask again',
    done: 'The provider was asked. The page shows what it said; a payment that stays open is asked about again.',
  },
  cancel_job: {
    button: 'Cancel the job',
    title: 'Cancel this job?',
    text: 'No report is delivered. What was collected is given up: over x402 it becomes credit, otherwise it goes back.',
    confirm: (amount) => `Cancel the job of ${amount}`,
    done: 'Canceled.',
    danger: true,
  },
  waive_charge: {
    button: 'Waive the charge',
    title: 'Give up this charge?',
    text: 'The review is overdue. What was collected goes back to who paid it, and a receipt says so.',
    confirm: (amount) => `Give back ${amount}`,
    done: 'The charge is waived. The money goes back.',
    danger: true,
  },
  run_again: {
    button: 'Run the check again',
    title: 'Run this check again?',
    text: 'A worker takes it from the start, with all its tries. One that is still at it writes nothing more.',
    confirm: () => 'Run again',
    done: 'It is queued again.',
  },
  refund_charge: {
    button: 'Refund the charge',
    title: 'Give this charge back?',
    text: 'The report was accepted. Its charge leaves the revenue and goes back to who paid, and a receipt says so.',
    confirm: (amount) => `Refund ${amount}`,
    done: 'The money goes back.',
    danger: true,
  },
  open_content: {
    button: 'Read the content',
    title: 'Read what the customer submitted?',
    text: `Work, evidence and reports can be read for ${lasting('contentOpen')}. Who read them, and why, is kept.`,
    confirm: () => 'Open the content',
    done: `Open for ${lasting('contentOpen')}.`,
  },
  note_purchase: {
    button: 'Add a note',
    title: 'Add a note',
    text: 'It stands in the timeline. Operators alone see it.',
    confirm: () => 'Add note',
    done: 'Noted.',
  },
};

/** The text of the last button: the act, with the amount if it moves money. */
export function confirmWords(name: ActionName, microcents: number): string {
  return actWords[name].confirm(`${amountText(microcents)} USD`);
}
