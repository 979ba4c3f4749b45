import { amountText } from '@/components/purchases/Price.tsx';
import type { ActionName } from '@/server/console/contract/purchases.ts';
import { lasting } from '@/server/service/terms.ts';

interface ActWords {
  button: string;
  /** The confirmation's question and its consequences. */
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
    title: 'Ask the provider for the state of this payment?',
    text: 'This asks the provider about the same payment. It is safe to repeat: money moves at most once.',
    confirm: () => 'Ask again',
    done: 'The provider was asked, and the page shows its answer. If the payment stays open, we will ask again.',
  },
  cancel_job: {
    button: 'Cancel the job',
    title: 'Cancel this job?',
    text: 'No report is delivered. An x402 payment becomes credit; any other goes back to the payer.',
    confirm: (amount) => `Cancel the job of ${amount}`,
    done: 'Canceled.',
    danger: true,
  },
  waive_charge: {
    button: 'Waive the charge',
    title: 'Waive this charge?',
    text: 'The review is overdue. The money goes back to the payer, and a receipt records it.',
    confirm: (amount) => `Give back ${amount}`,
    done: 'The charge is waived. The money goes back.',
    danger: true,
  },
  run_again: {
    button: 'Run the check again',
    title: 'Run this check again?',
    text: 'A worker starts it over with a fresh set of tries. If another worker is still running it, its result is discarded.',
    confirm: () => 'Run again',
    done: 'Queued again.',
  },
  refund_charge: {
    button: 'Refund the charge',
    title: 'Refund this charge?',
    text: 'The report was accepted. The charge is deducted from revenue and goes back to the payer, and a receipt records it.',
    confirm: (amount) => `Refund ${amount}`,
    done: 'The money goes back.',
    danger: true,
  },
  open_content: {
    button: 'Read the content',
    title: 'Read what the customer submitted?',
    text: `Work, evidence and reports can be read for ${lasting('contentOpen')}. The audit log records who read them and why.`,
    confirm: () => 'Open the content',
    done: `Open for ${lasting('contentOpen')}.`,
  },
  note_purchase: {
    button: 'Add a note',
    title: 'Add a note',
    text: 'It appears in the timeline. Only operators see it.',
    confirm: () => 'Add note',
    done: 'Noted.',
  },
};

/** The text of the confirming button: the action, with the amount if it moves money. */
export function confirmWords(name: ActionName, microcents: number): string {
  return actWords[name].confirm(`${amountText(microcents)} USD`);
}
