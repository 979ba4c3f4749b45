import { perform } from '../server/door/perform.ts';
import { runForOperator } from './operator.ts';

/**
 * `npm run waive -- JOB_KEY REASON` gives up the charge of a job whose review is overdue, and returns the collection to
 * its payer.
 */
await runForOperator(
  { words: 2, usage: 'Say which job and why: npm run waive -- JOB_KEY REASON' },
  async ([key = '', ...reason], { context }) => {
    await perform('waive_charge', await context(), { key, reason: reason.join(' ') });
    return `The charge of ${key} is waived; what was collected goes back.`;
  },
);
