import { byCommand, noteAct } from '../server/console/acts.ts';
import { transact } from '../server/kernel/transaction.ts';
import { endAtFormer } from '../server/payments/card/former-dispute.ts';
import { recordNews } from '../server/purchases/rounds/watch.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

const usage = 'Say how it ended, and why you know: npm run card-dispute -- DISPUTE CHARGE won|lost REASON';

/** `npm run card-dispute -- DISPUTE CHARGE won|lost REASON` ends a dispute of a charge at a former account at Stripe. */
await runForOperator(
  { words: 4, usage },
  async ([disputeKey = '', chargeId = '', outcome = '', ...words], { context }) => {
    const reason = words.join(' ').trim();
    if ((outcome !== 'won' && outcome !== 'lost') || reason === '') throw new Refusal(usage);
    const { runtime } = await context();
    const now = runtime.clock();
    await transact(runtime.db, async (tx) => {
      const payment = await endAtFormer(tx, { disputeId: disputeKey, chargeId, outcome }, now);
      if (!payment)
        throw new Refusal(
          `${chargeId} is no charge at a former account, ${disputeKey} has ended so, or others took all of the charge.`,
        );
      noteAct(tx, byCommand, { subject: disputeKey, action: 'end_dispute', reason: `${outcome}: ${reason}` }, now);
      await recordNews(tx, runtime, payment, { is: outcome === 'won' ? 'dispute_won' : 'reversed', disputeKey });
    });
    return `${disputeKey} is ${outcome}.`;
  },
);
