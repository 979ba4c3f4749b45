import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { buyingByCard, heard, listen, paidOnPage, stripeOf } from '../../../e2e/support/card.ts';
import { startService, withCard } from '../../../e2e/support/service.ts';
import { perform } from '../../door/perform.ts';
import { accountSums } from '../../ledger/closing.ts';
import { operatorContext } from '../../transports/context.ts';
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
  // What went on at the former meanwhile is compared, too.
  const { rows } = await service.database.pool.query(`
    select list from card_searches where searched_to > (select since from card_accounts where account_id = 'acct_other')`);
  expect(rows).toEqual([]);
  expect(await differing(service)).toEqual([]);
  expect((await agent.job(kept.jobKey)).body.payment_state).toBe('collected');
});

const command = path.resolve(import.meta.dirname, '../../../commands/card-dispute.ts');
const ending = async (...words: string[]) =>
  promisify(execFile)(process.execPath, [command, ...words], { env: { ...process.env, ...service.environment } });

it('disputes at a former account are ended by an operator, and refunds of charges there settled', async () => {
  const { agent } = await buyingByCard(service);
  const [won, lost] = [await paidOnPage(service, agent), await paidOnPage(service, agent)];
  // Tried at Stripe before it closed the account.
  await control.fault({ mode: 'error_500', on: 'refunds.create', times: 'always' });
  await agent.post(`/api/agent/v1/jobs/${won.jobKey}/cancel`);
  await service.sweep();
  await control.clearFaults();
  const { payment_intents: intents } = await control.books();
  const named = await Promise.all(
    [won, lost].map(async ({ paymentKey }) => {
      const intent = intents.find(({ metadata }) => metadata.payment_key === paymentKey);
      const dispute = (await control.openDispute({ payment_intent: intent?.id ?? '' })).id;
      const { rows } = await service.database.pool.query('select charge_id from card_charges where intent_id = $1', [
        intent?.id,
      ]);
      return [dispute, String(rows[0].charge_id)] as const;
    }),
  );
  const [[first, ofFirst], [second, ofSecond]] = named as [[string, string], [string, string]];
  await heard(service);
  const states = async () =>
    Promise.all([won, lost].map(async ({ jobKey }) => (await agent.job(jobKey)).body.payment_state));
  expect(await states()).toEqual(['disputed', 'disputed']);
  await expect(ending(first, ofFirst, 'won', 'Letter.')).rejects.toMatchObject({
    stderr: expect.stringContaining('is no charge at a former account'),
  });

  await changeAccount(db, 'acct_other', 'Stripe closed it.', clock());
  await ending(first, ofFirst, 'won', 'Letter of 3 May.');
  await ending(second, ofSecond, 'lost', 'Letter of 4 May.');
  await expect(ending(second, ofFirst, 'won', 'The wrong charge.')).rejects.toMatchObject({ code: 1 });
  expect(await states()).toEqual(['refund_pending', 'reversed']);
  expect(await balanceOf('asset:card')).toBe(0n);
  expect(await differing(other)).toEqual([]);

  const { rows } = await service.database.pool.query('select refund_key from refunds where job_key = $1', [won.jobKey]);
  const settle = () =>
    perform('settle_refund', operatorContext(service.runtime), {
      refund_key: rows[0].refund_key,
      as: 'sent_by_hand',
      reference: 're_atTheFormer',
      reason: 'Given back there.',
    });
  await expect(settle()).rejects.toMatchObject({ code: 'action_not_allowed' });
  service.advanceClock(86_400);
  await settle();
  service.advanceClock(-86_400);
  expect((await agent.job(won.jobKey)).body.payment_state).toBe('refunded');
  // As it ended at the former account, which is in use again.
  await control.closeDispute(first, 'won');
  await control.closeDispute(second, 'lost');
  await changeAccount(db, 'acct_first', 'It is open again.', clock());
  expect(await differing(service)).toEqual([]);
});

it('a dispute that begins at a former account after it was left is booked, and can still be won', async () => {
  const { agent } = await buyingByCard(service);
  const { jobKey, paymentKey } = await paidOnPage(service, agent);
  const { rows } = await service.database.pool.query('select charge_id from card_charges where payment_key = $1', [
    paymentKey,
  ]);
  const charge = String(rows[0].charge_id);
  const intent = (await control.books()).payment_intents.find(({ metadata }) => metadata.payment_key === paymentKey);
  await changeAccount(db, 'acct_other', 'We moved.', clock());
  const bank = await balanceOf('asset:bank');
  const { id: unseen } = await control.openDispute({ payment_intent: intent?.id ?? '' });
  await ending(unseen, charge, 'lost', 'Letter of 5 May.');
  const holds = async () => (await agent.get('/api/agent/v1/me')).body.holds;
  expect((await agent.job(jobKey)).body.payment_state).toBe('reversed');
  expect(await holds()).not.toEqual([]);
  expect((await balanceOf('asset:bank')) - bank).toBe(-500_000_000n);
  await expect(ending(unseen, charge, 'lost', 'Again.')).rejects.toMatchObject({ code: 1 });
  await ending(unseen, charge, 'won', 'Letter of 6 May.');
  expect((await agent.job(jobKey)).body.payment_state).not.toBe('reversed');
  expect(await holds()).toEqual([]);
  expect((await balanceOf('asset:bank')) - bank).toBe(0n);
  expect(await differing(other)).toEqual([]);
  // The letter was misread: it was lost. No other takes the same money again.
  await ending(unseen, charge, 'lost', 'The same letter, read again.');
  expect((await agent.job(jobKey)).body.payment_state).toBe('reversed');
  expect((await balanceOf('asset:bank')) - bank).toBe(-500_000_000n);
  await expect(ending('du_mistyped', charge, 'lost', 'A typo.')).rejects.toMatchObject({ code: 1 });
  await ending(unseen, charge, 'won', 'Letter of 8 May.');
  expect([await holds(), (await balanceOf('asset:bank')) - bank]).toEqual([[], 0n]);
  for (const end of ['lost', 'won'] as const) await control.closeDispute(unseen, end);
});
