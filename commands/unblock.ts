import { liftBlocks } from '../server/identity/blocked.ts';
import { runForOperator } from './operator.ts';
import { Refusal } from './refusal.ts';

/**
 * `npm run unblock -- BLOCK REASON` lets whoever a block keeps from buying buy again. In place of the block's key, an
 * account or the address of a payer lifts all of its open blocks. The reason is kept with each.
 */
await runForOperator(
  { words: 2, usage: 'Say which block, account or payer, and why: npm run unblock -- BLOCK REASON' },
  async ([which = '', ...reason], { db }) => {
    const because = reason.join(' ').trim();
    if (because === '') throw new Refusal('Say why.');
    const named = which.startsWith('0x') ? which.toLowerCase() : which;
    const lifted = await liftBlocks(db, named, { actor: 'operator', because, now: new Date() });
    if (lifted === 0) throw new Refusal(`${which} names no open block.`);
    return `${lifted === 1 ? 'One block' : `${lifted} blocks`} of ${which} lifted.`;
  },
);
