import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import { describe, expect, it, vi } from 'vitest';
import { Agent } from '../../../e2e/support/agent.ts';
import { startService } from '../../../e2e/support/service.ts';
import { forgetStrangers } from '../../identity/forget.ts';
import { daySeconds, seconds } from '../../service/terms.ts';

const service = await startService();
const limited = await startService({ UNPAID_CONTENT_MIB_PRINCIPAL: '1', UNPAID_CONTENT_MIB_ORIGIN: '2' });
const { pool } = service.database;
const jobAt = (jobKey: string) => `/api/agent/v1/jobs/${jobKey}`;

const newMark = () => `canary${randomBytes(12).toString('hex')}`;

/** PostgreSQL stores long texts apart and compresses what it can: this one is incompressible. */
const sizes: Record<string, (mark: string) => string> = {
  short: (mark) => `Nothing of interest, ${mark}.`,
  long: (mark) => [1, 2, 3].map(() => `${mark} ${randomBytes(6_000).toString('base64')}`).join(' '),
};

/** Every table and index of the database whose file contains the mark. */
async function filesWith(mark: string): Promise<string[]> {
  await pool.query('checkpoint');
  const { rows } = await pool.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind in ('r', 'i', 't') and pg_relation_filepath(oid) is not null
       and relnamespace <> 'pg_catalog'::regnamespace
       and position(convert_to($1, 'UTF8') in pg_read_binary_file(pg_relation_filepath(oid))) > 0`,
    [mark],
  );
  return rows.map(({ name }) => name);
}

const contentOf = async (quoteKey: string) =>
  (await pool.query('select input from quotes where quote_key = $1', [quoteKey])).rows[0].input;

/** Patience for a busy machine, between a request and the look at its result. */
const marginSeconds = 600;

/** Moves the clock, runs the worker's periodic tasks, and looks; sessions end meanwhile. */
async function afterSeconds(wait: number, agent: Agent, look: () => Promise<void>): Promise<void> {
  service.advanceClock(wait);
  try {
    await service.deleteExpired();
    await agent.signIn();
    await look();
  } finally {
    service.advanceClock(-wait);
  }
}

describe.each(Object.entries(sizes))('submitted content, %s', (_, contentWith) => {
  it('of a quote that nobody authorized is gone within a minute after the quote has expired', async () => {
    const agent = await Agent.arrive(service);
    const mark = newMark();
    const sent = { idempotency_key: randomUUID(), evidence: [contentWith(mark)], work_product: mark };
    const quote = await agent.quote(sent);
    await afterSeconds(seconds.quoteLifetime - marginSeconds, agent, async () => {
      expect(await contentOf(quote.body.quote_key)).not.toBeNull();
    });
    await afterSeconds(seconds.quoteLifetime + 60, agent, async () => {
      expect(await contentOf(quote.body.quote_key)).toBeNull();
      expect(await filesWith(mark)).toEqual([]);
      const read = await agent.get(`/api/agent/v1/purchases/${quote.body.quote_key}`);
      expect(read.body).toMatchObject({ state: 'expired', evidence: quote.body.evidence });
      expect((await agent.quote(sent)).text).toBe(quote.text);
    });
  });

  it('of a purchase is gone after 30 days: digests, reports and receipts stay', async () => {
    const agent = await Agent.arrive(service);
    const mark = newMark();
    const sent = { evidence: [contentWith(mark)], request: `Ask again about ${mark}.`, work_product: `It is ${mark}.` };
    const quote = await agent.quote(sent);
    // The purchase's date counts, not the quote's.
    const late = seconds.quoteLifetime - marginSeconds;
    service.advanceClock(late);
    const { job_key: jobKey } = (await agent.authorize(quote.body.quote_key)).body;
    service.advanceClock(-late);
    await agent.pay(jobKey, { signature: await agent.signPayment(jobKey) });
    await service.execute(jobKey);
    await agent.post(`${jobAt(jobKey)}/review`, {
      decision: 'dispute',
      reason: 'other',
      detail: `See ${mark}.`,
      correction_request: { look_at: mark },
    });
    await service.execute(jobKey);
    await afterSeconds(late + seconds.retention - marginSeconds, agent, async () => {
      const read = (await agent.get(`${jobAt(jobKey)}/evidence`)).body;
      expect(read.items[0].text).toContain(mark);
      expect(read.submitted).toMatchObject({ request: sent.request, work_product: sent.work_product });
    });
    const [evidence, report, receipts] = await Promise.all(
      ['evidence', 'report', 'receipts'].map((part) => agent.get(`${jobAt(jobKey)}/${part}`)),
    );
    await afterSeconds(late + seconds.retention + 60, agent, async () => {
      expect(await filesWith(mark)).toEqual([]);
      const kept = (await agent.get(`${jobAt(jobKey)}/evidence`)).body;
      expect(kept.deleted_at).not.toBeNull();
      expect(kept.submitted).toBeNull();
      expect(kept.items).toEqual(evidence?.body.items.map((item: object) => ({ ...item, text: null })));
      expect((await agent.get(`${jobAt(jobKey)}/report`)).text).toBe(report?.text);
      expect((await agent.get(`${jobAt(jobKey)}/receipts`)).text).toBe(receipts?.text);
    });
  });
});

describe('an answer', () => {
  it('is given again for 30 days, and forgotten after them', async () => {
    const agent = await Agent.arrive(service);
    const sent = { idempotency_key: randomUUID() };
    const quote = await agent.quote(sent);
    await afterSeconds(seconds.retention + 60, agent, async () => {
      expect((await agent.quote(sent)).text).toBe(quote.text);
    });
    await afterSeconds(seconds.retention + daySeconds + 60, agent, async () => {
      expect((await agent.quote(sent)).body.quote_key).not.toBe(quote.body.quote_key);
    });
  });
});

describe('what came of nothing', () => {
  /** Past the replay of answers and the end of sessions. */
  const past = seconds.retention + daySeconds + seconds.quoteLifetime + 60;
  const rowsOf = async (agent: Agent, ...tables: string[]) => {
    const of = [agent.wallet.address.toLowerCase()];
    const texts = tables.map((table) => `select 1 from ${table} where principal_key = $1`);
    return Promise.all(texts.map(async (text) => (await pool.query(text, of)).rowCount));
  };
  const quoteThere = async (key: string) =>
    (await pool.query('select 1 from quotes where quote_key = $1', [key])).rowCount === 1;
  const rounds = async () => {
    await forgetStrangers(service.runtime);
    await service.deleteExpired();
  };
  const accounts = async () => (await pool.query('select 1 from accounts')).rowCount;

  it('goes after 31 days: a quote that nobody authorized, and a wallet that left nothing', async () => {
    const before = await accounts();
    const [idle, asking] = [await Agent.arrive(service), await Agent.arrive(service)];
    const quote = (await asking.quote({ idempotency_key: randomUUID() })).body.quote_key;
    await afterSeconds(past - daySeconds, await Agent.arrive(service), async () => {
      await rounds();
      expect([await quoteThere(quote), await rowsOf(idle, 'principals', 'grants')]).toEqual([true, [1, 1]]);
    });
    service.advanceClock(past);
    await rounds();
    // Its sessions are gone by now, and with them what speaks for it.
    await rounds();
    expect(await quoteThere(quote)).toBe(false);
    for (const agent of [idle, asking]) {
      expect(await rowsOf(agent, 'principals', 'grants')).toEqual([0, 0]);
    }
    expect(await accounts()).toBeLessThanOrEqual(before ?? 0);
    await idle.signIn();
    expect((await idle.quote()).status).toBe(201);
    service.advanceClock(-past);
  });

  it('is not what money may still refer to: jobs, and a transfer that waits to go back', async () => {
    const [unpaid, canceled, sender] = [
      await Agent.arrive(service),
      await Agent.arrive(service),
      await Agent.arrive(service),
    ];
    const jobs = [await unpaid.authorizedJob(), await canceled.authorizedJob()];
    await canceled.post(`${jobAt(jobs[1] ?? '')}/cancel`);
    // For another's job and never presented: whoever holds it can carry it out, and what arrives is of no payment.
    const asked = await unpaid.pay(jobs[0] ?? '', { network: 'eip155:84532' });
    const required = decodePaymentRequiredHeader(asked.headers.get('payment-required') ?? '');
    await service.carryOut(encodePaymentSignatureHeader(await sender.createPayment(required)));
    await vi.waitFor(async () => {
      await service.sweep();
      const waiting = `select 1 from chain_transfers where use = 'unmatched' and sender = $1`;
      expect((await pool.query(waiting, [sender.wallet.address.toLowerCase()])).rowCount).toBe(1);
    });
    service.advanceClock(past);
    await rounds();
    await rounds();
    service.advanceClock(-past);
    for (const agent of [unpaid, canceled]) {
      expect(await rowsOf(agent, 'principals', 'quotes', 'jobs')).toEqual([1, 1, 1]);
    }
    expect(await rowsOf(sender, 'principals')).toEqual([1]);
  });

  it('waits for a wallet that comes back while it is forgotten, and makes it anew', async () => {
    const agent = await Agent.arrive(service);
    const wallet = agent.wallet.address.toLowerCase();
    await pool.query('delete from credentials where principal_key = $1', [wallet]);
    const client = await pool.connect();
    await client.query('begin');
    await client.query('delete from grants where principal_key = $1', [wallet]);
    await client.query('delete from principals where principal_key = $1', [wallet]);
    const back = agent.signIn();
    await pause(300);
    await client.query('commit');
    client.release();
    await back;
    expect((await agent.quote()).status).toBe(201);
  });
});

describe('deleting content early', () => {
  it('waits for the end of the review, is done once, and is not for the agents of a customer', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.paidJob();
    await service.execute(jobKey);
    const remove = () => agent.send('DELETE', `${jobAt(jobKey)}/content`);
    const early = await remove();
    expect([early.status, early.body.code]).toEqual([409, 'action_not_allowed']);
    await agent.post(`${jobAt(jobKey)}/review`, { decision: 'accept' });

    const kind = (of: string) =>
      pool.query('update principals set kind = $1 where principal_key = $2', [of, agent.wallet.address.toLowerCase()]);
    await kind('agent');
    const outside = await remove();
    await kind('wallet');
    expect([outside.status, outside.body.code]).toEqual([403, 'grant_scope_missing']);

    const removed = await remove();
    expect(removed.status).toBe(200);
    expect(removed.body.items.map((item: { text: string | null }) => item.text)).toEqual([null, null]);
    expect((await remove()).text).toBe(removed.text);
    expect((await agent.get(`${jobAt(jobKey)}/evidence`)).text).toBe(removed.text);
  });
});

describe('content that nobody has paid for', () => {
  const unpaidOf = async (agent: Agent) =>
    (
      await pool.query('select quote_key from unpaid_content where principal_key = $1', [
        agent.wallet.address.toLowerCase(),
      ])
    ).rows.length;

  it('is limited by buyer, and room is made by paying, by canceling and by time', async () => {
    const agent = await Agent.arrive(limited);
    const large = () =>
      agent.quote({ evidence: Array.from({ length: 6 }, () => randomBytes(16_000).toString('base64')) });
    const quotes = [];
    let last = await large();
    for (; last.status === 201; last = await large()) quotes.push(last.body.quote_key);
    expect([last.status, last.body.code, last.headers.get('retry-after')]).toEqual([429, 'rate_limited', '60']);
    expect(quotes.length).toBeGreaterThan(3);

    const { job_key } = (await agent.authorize(quotes[0])).body;
    expect((await large()).status).toBe(429);
    expect((await agent.pay(job_key, { signature: await agent.signPayment(job_key) })).status).toBe(200);
    const again = await large();
    expect([again.status, (await large()).status]).toEqual([201, 429]);

    const { job_key: unwanted } = (await agent.authorize(again.body.quote_key)).body;
    await agent.post(`/api/agent/v1/jobs/${unwanted}/cancel`);
    await limited.deleteExpired();
    expect([(await large()).status, (await large()).status]).toEqual([201, 429]);

    limited.advanceClock(seconds.quoteLifetime + 60);
    await limited.deleteExpired();
    await agent.signIn();
    expect((await large()).status).toBe(201);
    limited.advanceClock(-seconds.quoteLifetime - 60);
  });

  it('is limited by block of addresses, however many buyers there are', async () => {
    const statuses = [];
    for (let buyer = 0; buyer < 4; buyer += 1) {
      const agent = await Agent.arrive(limited);
      for (let index = 0; index < 5; index += 1) {
        const evidence = Array.from({ length: 6 }, () => randomBytes(16_000).toString('base64'));
        statuses.push((await agent.quote({ evidence })).status);
      }
    }
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(4);
    expect(statuses.at(-1)).toBe(429);
  });

  it('stops counting in the transaction that collects', async () => {
    const agent = await Agent.arrive(service);
    const jobKey = await agent.authorizedJob();
    expect(await unpaidOf(agent)).toBe(1);
    await agent.pay(jobKey, { signature: await agent.signPayment(jobKey) });
    expect(await unpaidOf(agent)).toBe(0);
  });
});
