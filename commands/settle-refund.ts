import { perform } from '../server/door/perform.ts';
import { runForOperator } from './operator.ts';

const usage =
  'Say what was done: npm run settle-refund -- REFUND_KEY sent REFERENCE REASON, or npm run settle-refund -- REFUND_KEY credit REASON';

/**
 * `npm run settle-refund -- REFUND_KEY sent REFERENCE REASON` closes a refund that failed and was sent by hand;
 * `npm run settle-refund -- REFUND_KEY credit REASON` leaves it as credit of its buyer. It sends nothing.
 */
await runForOperator({ words: 3, usage }, async ([refund_key = '', how = '', ...words], { context }) => {
  const [reference = '', ...rest] = words;
  const input =
    how === 'credit'
      ? { refund_key, as: 'wallet_credit', reason: words.join(' ') }
      : { refund_key, as: how === 'sent' ? 'sent_by_hand' : how, reference, reason: rest.join(' ') };
  await perform('settle_refund', await context(), input);
  return `${refund_key} is closed.`;
});
