import { byCommand, noteAct } from '../server/console/acts.ts';
import { transact } from '../server/kernel/transaction.ts';
import { endAtFormer } from '../server/payments/card/former-dispute.ts';
import { recordNews } from '../server/purchases/rounds/watch.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

const usage = 'Say how it ended, and why you know: npm run card-dispute -- DISPUTE won|lost REASON';

/** `npm run card-dispute -- DISPUTE won|lost REASON` ends a dispute of a charge at a former account at Stripe. */
await runForOperator({ words: 3, usage }, async ([disputeKey = '', outcome = '', ...words], { context }) => {
  const reason = words.join(' ').trim();
  if ((outcome !== 'won' && outcome !== 'lost') || reason === '') throw new Refusal(usage);
  const { runtime } = await context();
  const now = runtime.clock();
  await transact(runtime.db, async (tx) => {
    const payment = await endAtFormer(tx, disputeKey, outcome, now);
    if (!payment) throw new Refusal(`${disputeKey} is no open dispute of a charge at a former account.`);
    noteAct(tx, byCommand, { subject: disputeKey, action: 'end_dispute', reason: `${outcome}: ${reason}` }, now);
    await recordNews(tx, runtime, payment, { is: outcome === 'won' ? 'dispute_won' : 'reversed', disputeKey });
  });
  return `${disputeKey} is ${outcome}.`;
});
