import { beforeAll, expect, it } from 'vitest';
import { buyingByCard, heard, listen, paidOnPage, stripeOf } from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { accountSums } from '../../ledger/closing.ts';
import { changeAccount, keepFirstAccount } from './account.ts';
import { compareBooks } from './compare.ts';
import { openCardProvider } from './provider.ts';

const service = await startService(withCard);
/** Stands in for another account: none of its objects are at the first one's. */
const other = await startService(withCard);
const { db, clock } = service.runtime;
const control = stripeOf(service);
beforeAll(() => listen(service));

/** Compares with an account twice, as only what differs at two looks counts. Resolves to what differs. */
async function differing({ runtime }: typeof service): Promise<unknown[]> {
  const provider = openCardProvider(runtime.configuration.card);
  for (let look = 1; look <= 2; look += 1) {
    service.advanceClock(360);
    for (const each of [service, other]) await stripeOf(each).advance(360);
    await compareBooks({
      process: { db, clock },
      provider,
      tell: async (_, { is }) => {
        throw new Error(`told of ${is}`);
      },
    });
  }
  const { rows } = await service.database.pool.query(
    'select kind, object_id, ours, theirs from reconciliation_differences where gone_at is null',
  );
  return rows;
}

async function balanceOf(account: string): Promise<bigint> {
  const { sums } = await accountSums(db);
  const found = sums.find((each) => each.account === account);
  return found ? found.debited - found.credited : 0n;
}

it('another account at Stripe agrees with the books at once, and the former does again once it is back', async () => {
  await keepFirstAccount(db, 'acct_first', clock());
  const { agent } = await buyingByCard(service);
  const [kept, canceled, contested] = [
    await paidOnPage(service, agent),
    await paidOnPage(service, agent),
    await paidOnPage(service, agent),
  ];
  await agent.post(`/api/agent/v1/jobs/${canceled.jobKey}/cancel`);
  const { payment_intents: intents } = await control.books();
  const intent = intents.find(({ metadata }) => metadata.payment_key === contested.paymentKey);
  await control.openDispute({ payment_intent: intent?.id ?? '' });
  await heard(service);
  expect(await differing(service)).toEqual([]);
  const held = await balanceOf('asset:card');

  await changeAccount(db, 'acct_other', 'We moved.', clock());
  await changeAccount(db, 'acct_other', 'We moved.', clock());
  expect([await balanceOf('asset:card'), await balanceOf('asset:bank')]).toEqual([0n, held]);
  expect(await differing(other)).toEqual([]);

  await changeAccount(db, 'acct_first', 'We moved back.', clock());
  expect([await balanceOf('asset:card'), await balanceOf('asset:bank')]).toEqual([held, 0n]);
  expect(await differing(service)).toEqual([]);
  expect((await agent.job(kept.jobKey)).body.payment_state).toBe('collected');
});
