import { beforeAll, describe, expect, it } from 'vitest';
import { Agent, clearFaults, facilitatorFault } from '../../e2e/support/agent.ts';
import { buyingByCard, heard, listen, paidOnPage, stripeOf } from '../../e2e/support/card.ts';
import { chainHand } from '../../e2e/support/chain-hand.ts';
import { startService, withCard } from '../../e2e/support/service.ts';
import { perform } from '../door/perform.ts';
import type { ConsoleOperation } from '../operation/operator-roles.ts';
import { allOperations } from '../operations.ts';
import { deadLetterQueue, letterQueue } from '../queue/queue.ts';
import { operatorContext } from '../transports/context.ts';

const service = await startService(withCard);
const { pool } = service.database;
const stripe = stripeOf(service);
const ctx = () => operatorContext(service.runtime);
const reason = 'a trial';

/** An operator's own views are no acts on anything. */
const ownViews: readonly string[] = ['save_view', 'remove_view'];
const acting = Object.values(allOperations)
  .filter(({ audience, effect }) => (audience as readonly string[]).includes('operator') && effect !== 'read')
  .map(({ name }) => name as ConsoleOperation)
  .filter((name) => !ownViews.includes(name));

/** For each act something to do it to. */
let inputs: Partial<Record<ConsoleOperation, object>>;

const one = async (text: string, values: unknown[] = []) => (await pool.query(text, values)).rows[0];

/** A job whose payment nobody knows, and may be asked about. */
async function jobInDoubt(agent: Agent): Promise<string> {
  const job = await agent.authorizedJob();
  const signature = await agent.signPayment(job);
  await facilitatorFault(service.sandbox.controlUrl, { mode: 'drop_before_settle' });
  await agent.pay(job, { signature });
  await clearFaults(service.sandbox.controlUrl);
  await pool.query(`update payments set lease_until = now() - interval '1 second' where job_key = $1`, [job]);
  return job;
}

async function delivered(agent: Agent, accepted: boolean): Promise<string> {
  const job = await agent.paidJob();
  await service.execute(job);
  if (accepted) await agent.post(`/api/agent/v1/jobs/${job}/review`, { decision: 'accept' });
  return job;
}

async function unmatchedTransfer(agent: Agent): Promise<object> {
  const hand = await chainHand(service.sandbox.controlUrl, 84532);
  await hand.call(hand.transferCall(await hand.sign(agent.wallet, service.sandbox.payTo, 1_230_000n)));
  await service.sweep();
  return one(`select network, transaction, position from chain_transfers where use = 'unmatched'`);
}

async function dispute(): Promise<string> {
  const { agent } = await buyingByCard(service);
  const { jobKey, paymentKey } = await paidOnPage(service, agent);
  await service.execute(jobKey);
  const { intent_id } = await one('select intent_id from card_charges where payment_key = $1', [paymentKey]);
  const { id } = await stripe.openDispute({ payment_intent: intent_id, reason: 'fraudulent' });
  await heard(service);
  return id;
}

async function failedRefund(): Promise<string> {
  const { agent } = await buyingByCard(service);
  const { jobKey } = await paidOnPage(service, agent);
  await agent.post(`/api/agent/v1/jobs/${jobKey}/cancel`);
  await heard(service);
  const refund = await one('select refund_key, provider_refund_id as id from refunds where job_key = $1', [jobKey]);
  await stripe.settle(refund.id, 'failed', 'expired_or_canceled_card');
  await heard(service);
  return refund.refund_key;
}

async function deadLetter(): Promise<void> {
  const { boss } = service.runtime.queue;
  await boss.send(letterQueue, { kind: 'trial' }, { retryLimit: 0 });
  for (const { id } of await boss.fetch(letterQueue, { batchSize: 100 })) await boss.fail(letterQueue, id, {});
}

async function agentOfCustomer(): Promise<string> {
  const { agent } = await buyingByCard(service);
  const { account_key } = (await agent.get('/api/agent/v1/me')).body;
  return (await one('select principal_key from principals where account_key = $1', [account_key])).principal_key;
}

async function endpointOf(accountKey: string): Promise<string> {
  const row = await one(
    `insert into webhook_endpoints (endpoint_key, account_key, url, secret, added_by, added_at, told_transaction,
       told_purchase, told_sequence, next_try_at)
     select 'endpoint_trial', account_key, 'https://buyer.example/', 'v2.0123456789abcdef.sealed', member_key, now(), 0, '', 0, now()
     from members where account_key = $1 returning endpoint_key`,
    [accountKey],
  );
  return row.endpoint_key;
}

async function openIncident(): Promise<string> {
  const incident = { title: 'A trial', impact: { checks: 'down' }, text: reason };
  return (await perform('open_incident', ctx(), incident)).body.incident_key;
}

beforeAll(async () => {
  await listen(service);
  const agent = await Agent.arrive(service);
  const [noted, canceled, again] = [await agent.paidJob(), await agent.paidJob(), await agent.paidJob()];
  const [overdue, accepted] = [await delivered(agent, false), await delivered(agent, true)];
  const transfer = await unmatchedTransfer(await Agent.arrive(service));
  const dispute_key = await dispute();
  const refund_key = await failedRefund();
  const { event_id: event_key } = await one(`select event_id from card_events where type = 'payment_intent.succeeded'`);
  await deadLetter();
  const agent_key = await agentOfCustomer();
  const { account_key } = await one('select account_key from principals where principal_key = $1', [agent_key]);
  await pool.query(
    `insert into purchase_blocks (block_key, account_key, cause, created_at) values ('block_trial', $1, 'remedies', now())`,
    [account_key],
  );
  await pool.query(
    `insert into letters (letter_key, kind, address, about, created_at, sent_at)
     values ('letter_trial', 'important', 'owner@example.com', 'statement:' || $1 || ':2026-11', now(), now())`,
    [account_key],
  );
  const [updated, resolved] = [await openIncident(), await openIncident()];
  // Last, for each sweep would ask about it.
  const inDoubt = await jobInDoubt(agent);
  inputs = {
    note_purchase: { key: noted, reason },
    open_content: { key: noted, reason },
    ask_again: { key: inDoubt, reason },
    cancel_job: { key: canceled, reason },
    run_again: { key: again, reason },
    waive_charge: { key: overdue, reason },
    refund_charge: { key: accepted, reason },
    act_on_purchases: { action: 'note_purchase', keys: [noted, accepted], reason },
    give_back: { ...transfer, reason },
    settle_refund: { refund_key, as: 'sent_by_hand', reference: 'SEPA 1', reason },
    lift_block: { block_key: 'block_trial', reason },
    open_incident: { title: 'A trial', impact: { rest: 'degraded' }, text: reason },
    update_incident: { incident_key: updated, text: reason },
    resolve_incident: { incident_key: resolved, text: reason },
    turn_switch: { name: 'registrations', state: 'off', reason },
    answer_dispute: { dispute_key, statement: 'It was delivered.', reason },
    retry_letters: { reason },
    send_letter_again: { letter_key: 'letter_trial', reason },
    send_events_again: { endpoint_key: await endpointOf(account_key), reason },
    pause_customer_agent: { agent_key, paused: 'yes', reason },
    revoke_customer_agent: { agent_key, reason },
    hear_again: { event_key, reason },
    open_webhook: { event_key, reason },
    open_findings: { reason },
    label_finding: { job_key: accepted, report_number: 1, finding: 0, label: 'right' },
  };
});

/** Each table's rows as one hash; not `secret_keys`, where processes say again and again what they have in front. */
async function contents(): Promise<Record<string, string>> {
  const { rows } = await pool.query(
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relname <> 'secret_keys' order by 1`,
  );
  const hashes: Record<string, string> = {};
  for (const table of ['pgboss.job', ...rows.map(({ relname }) => relname)]) {
    const { hash } = await one(`select md5(string_agg(t::text, '' order by t::text)) as hash from ${table} t`);
    hashes[table] = hash;
  }
  return hashes;
}

/** Runs `work` while no act can be recorded. */
async function withoutRoom(work: () => Promise<void>): Promise<void> {
  await pool.query(`
    create function no_room() returns trigger language plpgsql as $$ begin raise exception 'no room for acts'; end $$;
    create trigger no_room before insert on operator_acts for each row execute function no_room()`);
  await work().finally(() => pool.query('drop trigger no_room on operator_acts; drop function no_room()'));
}

/** The review is overdue 15 days later. */
async function later<T>(name: string, work: () => Promise<T>): Promise<T> {
  const seconds = name === 'waive_charge' ? 15 * 86_400 : 0;
  service.advanceClock(seconds);
  return work().finally(() => service.advanceClock(-seconds));
}

describe('an act of an operator', () => {
  it('is tried here, whichever it is', () => {
    expect(Object.keys(inputs).toSorted()).toEqual(acting.toSorted());
  });

  it.each(acting)(
    '%s: is not done when its row of the audit cannot be written, and leaves it when it is done',
    async (name) => {
      const act = () => later(name, () => perform(name, ctx(), inputs[name]));
      const told = async () => (await stripe.books()).disputes.map(({ status }) => status);
      const before = { rows: await contents(), disputes: await told() };
      await withoutRoom(async () => {
        await expect(act()).rejects.toMatchObject({ code: 'internal' });
      });
      expect({ rows: await contents(), disputes: await told() }).toEqual(before);
      const count = async () => (await one('select count(*)::int as count from operator_acts')).count;
      const acts = await count();
      await act();
      expect(await count()).toBe(acts + (name === 'act_on_purchases' ? 2 : 1));
      if (name === 'retry_letters')
        await pool.query(`delete from pgboss.job where name in ($1, $2)`, [letterQueue, deadLetterQueue]);
    },
  );
});
