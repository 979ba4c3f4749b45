import { beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { Customer } from '../../../e2e/support/customer.ts';
import { linkOfInvited, Member } from '../../../e2e/support/member.ts';
import { startService } from '../../../e2e/support/service.ts';
import { queueDueLetters } from '../../mail/due-letters.ts';
import { numberReceipts } from './receipt-numbers.ts';

const seller = { name: 'Example Checks Ltd', email: 'help@check.example' };
const service = await startService({
  OPERATOR_NAME: seller.name,
  OPERATOR_EMAIL: seller.email,
  SELLER_ADDRESS: '1 Example Street, London',
  SELLER_TAX_ID: 'GB000000000',
  TAX_PERCENT: '20',
});
const { pool } = service.database;
const books = '/api/agent/v1/bookkeeping';

/** Every number given, by seller and year. */
async function numbers(): Promise<{ seller: string; year: number; numbers: number[] }[]> {
  const { rows } = await pool.query(`
    select seller, year, array_agg(number order by issued_at, job_key) as numbers from receipt_numbers
    where number is not null group by seller, year order by seller, year`);
  return rows;
}

async function paidJobs(agent: Agent, count: number): Promise<string[]> {
  const keys = [];
  for (let made = 0; made < count; made += 1) keys.push(await agent.paidJob());
  return keys;
}

describe('the number of a receipt', () => {
  const year = service.runtime.clock().getUTCFullYear();
  const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

  it('is given to none of a batch of which one fails, and then to all, without a gap', async () => {
    const agent = await Agent.arrive(service);
    await paidJobs(agent, 3);
    expect((await agent.get(books)).body.receipts.map(({ number }: { number: string }) => number)).toEqual([
      null,
      null,
      null,
    ]);
    // As if the process ended between two lines: nothing of what it wrote stands.
    await pool.query(`
      create function stop_there() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$;
      create trigger stop_there before update on receipt_numbers for each row when (new.number = 2)
        execute function stop_there()`);
    await expect(numberReceipts(service.runtime)).rejects.toThrow('stopped');
    expect(await numbers()).toEqual([]);
    await pool.query('drop trigger stop_there on receipt_numbers; drop function stop_there');
    await numberReceipts(service.runtime);
    expect(await numbers()).toEqual([{ seller: seller.name, year, numbers: upTo(3) }]);
  });

  it('follows the one before, however many workers give numbers at once', async () => {
    const agents = await Promise.all(Array.from({ length: 4 }, () => Agent.arrive(service)));
    const paying = agents.map((agent) => paidJobs(agent, 2));
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 6 }, () => numberReceipts(service.runtime)));
    }
    await Promise.all(paying);
    await Promise.all(Array.from({ length: 6 }, () => numberReceipts(service.runtime)));
    const [given] = await numbers();
    expect(given?.numbers.toSorted((a, b) => a - b)).toEqual(upTo(11));
  });

  it('stays, and no other than the next can be given', async () => {
    const refused = { code: '23514' };
    await expect(pool.query('update receipt_numbers set number = 99 where number = 2')).rejects.toMatchObject(refused);
    await expect(pool.query('delete from receipt_numbers where number = 2')).rejects.toThrow('only grows');
    const agent = await Agent.arrive(service);
    await agent.paidJob();
    await expect(
      pool.query(
        `update receipt_numbers set seller = $1, year = $2, number = 13, details = '{}' where number is null`,
        [seller.name, year],
      ),
    ).rejects.toMatchObject(refused);
    await numberReceipts(service.runtime);
    expect((await agent.get(books)).body.receipts[0].number).toBe(`${year}-000012`);
  });
});

describe('a receipt for the books', () => {
  let agent: Agent;
  let owner: Member;
  let jobKey: string;

  beforeAll(async () => {
    agent = await Agent.arrive(service);
    owner = await Member.of(service, agent);
    jobKey = await agent.paidJob();
    await numberReceipts(service.runtime);
  });

  it('names the seller, net and tax, and holds the signed receipt', async () => {
    const { body } = await agent.get(`${books}?job_key=${jobKey}`);
    expect(body.receipts).toEqual([
      expect.objectContaining({
        job_key: jobKey,
        seller: { ...seller, address: '1 Example Street, London', tax_id: 'GB000000000' },
        buyer: null,
        amount_microcents: 500_000_000,
        net_microcents: 417_000_000,
        tax_microcents: 83_000_000,
        tax_percent: 20,
        untaxed_because: null,
        receipt: (await agent.get(`/api/agent/v1/jobs/${jobKey}/receipt`)).body,
      }),
    ]);
    expect(body.sums).toEqual({
      count: 1,
      collected_microcents: 500_000_000,
      charged_microcents: 500_000_000,
      given_back_microcents: 0,
    });
  });

  it('is made out to whom an owner named once, and only an owner names somebody', async () => {
    const buyer = { name: 'Buyer GmbH', address: '2 Road\n10115 Berlin', tax_id: 'DE1' };
    const link = await linkOfInvited(service, owner, { email: `books-of-${jobKey.toLowerCase()}@example.com` });
    await agent.post('/api/agent/v1/invitations/accept', { link });
    const reader = await Member.ofAccount(service, owner.accountKey, `books-of-${jobKey.toLowerCase()}@example.com`);
    const refused = await reader.post('/api/agent/v1/account/billing', buyer);
    expect([refused.status, refused.body.code]).toEqual([403, 'role_missing']);
    for (const missing of [{ name: ' ' }, { address: '' }, { tax_id: 'x'.repeat(51) }]) {
      expect((await owner.post('/api/agent/v1/account/billing', { ...buyer, ...missing })).status).toBe(422);
    }
    expect((await owner.post('/api/agent/v1/account/billing', buyer)).body).toEqual({ billing: buyer });
    expect((await reader.get('/api/agent/v1/account/billing')).body).toEqual({ billing: buyer });
    expect((await owner.get(books)).body.receipts[0].buyer).toEqual(buyer);
    const stranger = await Agent.arrive(service);
    expect((await stranger.get(`${books}?job_key=${jobKey}`)).body.receipts).toEqual([]);
    expect((await stranger.get(`${books}?after=${jobKey}`)).body.code).toBe('not_found');
  });

  it('is listed by month, page by page, with the sums of all pages', async () => {
    await paidJobs(agent, 2);
    const month = service.runtime.clock().toISOString().slice(0, 7);
    const seen = [];
    for (let after = ''; ; ) {
      const { body } = await owner.get(`${books}?month=${month}&limit=1${after}`);
      expect([body.sums.count, body.receipts.length]).toEqual([3, 1]);
      seen.push(body.receipts[0].job_key);
      if (body.next_after === null) break;
      after = `&after=${body.next_after}`;
    }
    expect(new Set(seen).size).toBe(3);
    expect((await owner.get(`${books}?month=2020-01`)).body).toMatchObject({ receipts: [], sums: { count: 0 } });
    expect((await owner.get(`${books}?month=2026-13`)).status).toBe(422);
  });
});

it('the statement of a month comes by mail once the month is over, once, with its sums', async () => {
  const agent = await Agent.arrive(service);
  await agent.paidJob();
  const owner = await Member.of(service, agent);
  await numberReceipts(service.runtime);
  const now = service.runtime.clock();
  const { rows } = await pool.query("select due_at from due_letters where action = 'statement' and subject = $1", [
    owner.accountKey,
  ]);
  expect(rows).toEqual([{ due_at: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 7)) }]);
  await pool.query("update due_letters set due_at = now() - interval '1 second' where action = 'statement'");
  await queueDueLetters(service.runtime);
  await numberReceipts(service.runtime);
  await queueDueLetters(service.runtime);
  const mailbox = new Customer(service, owner.email);
  const statements = (await mailbox.letters()).filter(({ subject }) => subject.startsWith('Your statement'));
  expect(statements).toHaveLength(1);
  expect(statements[0]?.subject).toContain('5.00 USD collected');
  expect(statements[0]?.text).toContain('/purchases/statement?month=');
});
