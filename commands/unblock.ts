import { byCommand, noteAct } from '../server/console/acts.ts';
import { liftBlocks } from '../server/identity/blocked.ts';
import { transact } from '../server/kernel/transaction.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

/**
 * `npm run unblock -- BLOCK REASON` lifts a purchase block. Given an account, a payer or a payment instead, it lifts all
 * of its open blocks: those behind a card payment are of its account and of its card. Each keeps the reason.
 */
await runForOperator(
  { words: 2, usage: 'Say which block, account, payer or payment, and why: npm run unblock -- BLOCK REASON' },
  async ([which = '', ...reason], { db, now }) => {
    const because = reason.join(' ').trim();
    if (because === '') throw new Refusal('Give a reason.');
    const named = which.startsWith('0x') ? which.toLowerCase() : which;
    const lifted = await transact(db, async (tx) => {
      const count = await liftBlocks(tx, named, { actor: 'operator', because, now });
      if (count > 0) noteAct(tx, byCommand, { subject: named, action: 'lift_block', reason: because }, now);
      return count;
    });
    if (lifted === 0) throw new Refusal(`${which} names no open block.`);
    return `${lifted === 1 ? 'One block' : `${lifted} blocks`} of ${which} lifted.`;
  },
);
