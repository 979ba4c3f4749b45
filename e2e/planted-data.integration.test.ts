import { beforeAll, describe, expect, it } from 'vitest';
import { Agent, clearFaults, facilitatorFault } from './support/agent.ts';
import { chainDifferences } from './support/chain-books.ts';
import { brokenInvariants } from './support/invariants.ts';
import { namedOf, type PlantedFault, refusedOf, tentatively, withoutGuards } from './support/planted.ts';
import { startService } from './support/service.ts';

/** Purchases to damage, one in each relevant state. */
interface Victims {
  principal: string;
  waiting: string;
  unknown: string;
  queued: string;
  delivered: string;
  accepted: string;
  canceled: string;
}

const price = '500000000';
const transfer = (key: string, event: string, job: string, debit: string, credit: string) => `
  insert into ledger_transfers (event_key, event, job_key, principal_key, debit_account, credit_account, amount_microcents,
    currency, at, month)
  select '${event}:${key}', '${event}', job_key, principal_key, '${debit}', '${credit}', price_microcents, 'USD', now(),
    ledger_month(job_key)
  from jobs where job_key = '${job}'`;

const faults: PlantedFault<Victims>[] = [
  {
    fault: 'an entry that moves nothing',
    rows: ({ accepted }) => `${transfer('x', 'credited', accepted, 'liability:held', 'liability:held')}`,
    refused: /violates check constraint/,
  },
  {
    fault: 'an unbalanced entry: money that comes from nowhere',
    rows: ({ queued }) => transfer('x', 'credited', queued, 'liability:refunds', 'liability:held'),
    refused: /gives more of liability:refunds/,
    named: 'I1 no account of the books is overdrawn',
  },
  {
    fault: 'a corrected entry',
    rows: () => `update ledger_transfers set amount_microcents = amount_microcents - 1`,
    refused: /ledger_transfers only grows/,
    named: 'I6 what is collected is in the books, once and in full',
  },
  {
    fault: 'an entry in another month than its job',
    rows: ({ accepted }) => `
      insert into ledger_transfers
      select (jsonb_populate_record(t, '{"month": "2020-01-01"}')).* from ledger_transfers t
      where job_key = '${accepted}' and event = 'accepted'`,
    refused: /the entries of \S+ belong to/,
    named: 'I2 an event of a job is booked once, and its entry lies in the month in which that began',
  },
  {
    fault: 'a sum of a job that was changed by hand',
    rows: ({ queued }) => `update job_holdings set held_microcents = held_microcents + 1 where job_key = '${queued}'`,
    refused: /job_holdings moves with the books/,
    named: 'I5 what a job holds is the sum of its entries, as far as they are here',
  },
  {
    fault: 'a sum of a job whose entries left, changed by hand',
    rows: ({ accepted }) =>
      `update job_holdings set held_microcents = 1, archived_events = '{}' where job_key = '${accepted}'`,
    refused: /job_holdings moves with the books/,
    named: 'I5 what all jobs hold is what the account of it says',
  },
  {
    fault: 'an entry that was taken out',
    rows: ({ accepted }) => `delete from ledger_transfers where job_key = '${accepted}' and event = 'accepted'`,
    refused: /ledger_transfers only grows/,
    named: 'I5 what is held for a job is zero or its price, as its charge says',
  },
  {
    fault: 'a collection that the books miss',
    rows: ({ queued }) => `delete from ledger_transfers where job_key = '${queued}'`,
    refused: /ledger_transfers only grows/,
    named: 'I6 what is collected is in the books, once and in full',
  },
  {
    fault: 'a collection in the books that nobody paid',
    rows: ({ waiting }) => transfer('pay_x', 'collected', waiting, 'asset:x402:eip155:84532', 'liability:held'),
    named: 'I6 nothing is in the books that was not collected',
  },
  {
    fault: 'a double refund',
    rows: ({ canceled }) => transfer('again', 'credited', canceled, 'liability:held', 'liability:wallet_credit'),
    refused: /gives more of liability:held/,
    named: 'I5 remedies give back no more than was collected',
  },
  {
    fault: 'a refund of what was earned',
    rows: ({ accepted }) => transfer('x', 'refund_owed', accepted, 'liability:held', 'liability:refunds'),
    refused: /gives more of liability:held/,
    named: 'I5 what is held for a job is zero or its price, as its charge says',
  },
  {
    fault: 'credit out of thin air',
    rows: ({ principal }) => `insert into wallet_credits values ('${principal}', ${price})
      on conflict (principal_key) do update set balance_microcents = 2 * wallet_credits.balance_microcents`,
    refused: /wallet credit moves with the books/,
    named: 'I5 credit to spend is what the books say, and never below zero',
  },
  {
    fault: 'early execution',
    rows: ({ waiting }) => `
      update jobs set state = 'queued', charge_state = 'held', payment_state = 'collected', collected_at = now()
      where job_key = '${waiting}'`,
    refused: /was not paid for/,
    named: 'I3 no job works or is delivered without a collection',
  },
  {
    fault: 'work that starts while the payment is open',
    rows: ({ unknown }) => `update jobs set state = 'running' where job_key = '${unknown}'`,
    refused: /may not go from awaiting_payment to running/,
    named: 'I3 no job works or is delivered without a collection',
  },
  {
    fault: 'a second collection for a job',
    rows: ({ queued }) => `
      insert into payments select (jsonb_populate_record(p, '{"payment_key": "pay_x"}')).*
      from payments p where job_key = '${queued}'`,
    refused: /no transfer pays pay_x|payments_active_key/,
    named: 'I4 a job has one collection at most',
  },
  {
    fault: 'one signature that pays for two jobs',
    rows: ({ queued, waiting }) => `
      insert into payments select (jsonb_populate_record(p,
        '{"payment_key": "pay_x", "job_key": "${waiting}", "state": "settling"}')).*
      from payments p where job_key = '${queued}';
      insert into x402_transfers select (jsonb_populate_record(x, '{"payment_key": "pay_x"}')).*
      from x402_transfers x join payments using (payment_key) where job_key = '${queued}'`,
    refused: /x402_transfers_authorization_key/,
    named: 'I4 no payment is open on a job that is not waiting for one',
  },
  {
    fault: 'an arrival that is used for a second thing',
    rows: ({ queued }) => `
      update chain_transfers set use = 'returned', payment_key = null
      where payment_key = (select payment_key from payments where job_key = '${queued}')`,
    refused: /is payment for good/,
    named: 'I6 what is collected by transfer was paid by one log, of its own authorization',
  },
  {
    fault: 'a log that was given another value',
    rows: () => `update chain_transfers set amount_microcents = 2 * amount_microcents`,
    refused: /is payment for good/,
    named: 'I6 every log is in the books, once and in full, and what it became is what it is used for',
  },
  {
    fault: 'a log that the books miss',
    rows: () => `delete from ledger_transfers where event = 'arrived'`,
    refused: /ledger_transfers only grows/,
    named: 'I6 every log is in the books, once and in full, and what it became is what it is used for',
  },
  {
    fault: 'a refund of more than arrived',
    rows: ({ queued }) => `
      insert into refunds (refund_key, payment_key, job_key, network, arrival_transaction, arrival_position,
        amount_microcents, reason, state, next_try_at, created_at)
      select 'refund_x', payment_key, job_key, network, transaction, position, 2 * c.amount_microcents, 'second_dispute',
        'refund_pending', now(), now()
      from chain_transfers c join payments using (payment_key) where job_key = '${queued}'`,
    refused: /gives back more than arrived/,
    named: 'I5 what goes back for an arrival is no more than it brought, and goes to who sent it',
  },
  {
    fault: 'a transfer that is used before it was seen',
    rows: ({ queued }) => `
      insert into chain_transfers
      select (jsonb_populate_record(c, '{"position": 77}')).* from chain_transfers c
      join payments using (payment_key) where job_key = '${queued}'`,
    refused: /a transfer is first seen, then used/,
    named: 'I6 what is collected by transfer was paid by one log, of its own authorization',
  },
  {
    fault: 'a payment that begins after the time to pay',
    rows: ({ waiting }) => `
      update jobs set payment_state = 'processing', updated_at = pay_by where job_key = '${waiting}'`,
    refused: /the time to pay for .* has passed/,
  },
  {
    fault: 'a time to pay that is moved',
    rows: ({ waiting }) => `update jobs set pay_by = pay_by + interval '1 day' where job_key = '${waiting}'`,
    refused: /what .* was authorized as does not change/,
  },
  {
    fault: 'a job that is canceled while its payment is open',
    rows: ({ unknown }) => `
      update jobs set state = 'canceled', payment_state = 'none', finalized_at = now() where job_key = '${unknown}'`,
    refused: /has an open payment/,
    named: 'I4 no payment is open on a job that is not waiting for one',
  },
  {
    fault: 'an unknown outcome that was guessed away',
    rows: ({ queued }) => `update payments set state = 'failed' where job_key = '${queued}'`,
    refused: /what is known about \S+ does not change/,
    named: 'I6 nothing is in the books that was not collected',
  },
  {
    fault: 'a quote whose price was raised',
    rows: ({ waiting }) => `
      update quotes set price_microcents = 2 * price_microcents, max_price_microcents = 2 * price_microcents
      where quote_key = (select quote_key from jobs where job_key = '${waiting}')`,
    refused: /a quote is frozen/,
    named: 'I9 a job costs what its quote says',
  },
  {
    fault: 'a job at another price than its quote',
    rows: ({ waiting }) => `update jobs set price_microcents = 1 where job_key = '${waiting}'`,
    refused: /what \S+ was authorized as does not change/,
    named: 'I9 a job costs what its quote says',
  },
  {
    fault: 'a job whose verdict is not that of its report',
    rows: ({ delivered }) => `update jobs set last_verdict = 'escalate' where job_key = '${delivered}'`,
    named: 'a job names the rail of its newest payment, the verdict of its newest report, and its facet',
  },
  {
    fault: 'a limit that is passed',
    rows: ({ principal }) => `
      update grant_usage set used_microcents = 5500000000
      where grant_key = (select grant_key from grants where principal_key = '${principal}')`,
    refused: /passes a limit/,
    named: 'I13 no day and no total passes its limit',
  },
  {
    fault: 'a reservation that was never made',
    rows: () => `update grant_usage set used_microcents = used_microcents - ${price}`,
    named: 'I13 a grant counts what its jobs hold of it, day by day',
  },
  {
    fault: 'room that is given back before the money',
    rows: ({ canceled }) => `
      update grant_usage u set used_microcents = used_microcents - price_microcents
      from jobs j where u.grant_key = j.grant_key and u.day = j.authorized_on and job_key = '${canceled}';
      update jobs set reserved_microcents = 0 where job_key = '${canceled}'`,
    refused: /keeps its room while its money is not back/,
    named: 'I13 a job holds room while it may take cash, or its cash is not back with the payer',
  },
  {
    fault: 'cash for a job that credit alone may pay for',
    rows: ({ queued }) => `
      update jobs set credit_only = true, reserved_microcents = 0 where job_key = '${queued}'`,
    refused: /keeps its room while its money is not back/,
    named: 'I13 a job that was authorized without room takes no cash',
  },
  {
    fault: 'a block that nobody lifted',
    rows: ({ principal }) => `
      insert into purchase_blocks (block_key, payer, cause, created_at) values ('block_x', '${principal}', 'remedies', now());
      update purchase_blocks set lifted_at = now()`,
    refused: /violates check constraint/,
  },
  {
    fault: 'a forged line of the audit',
    rows: ({ accepted }) => `
      update audit_rows set actor = 'somebody else'
      where purchase_key = (select quote_key from jobs where job_key = '${accepted}') and action = 'accept'`,
    refused: /audit_rows only grows/,
    named: 'I2 the audit of a purchase is an unbroken chain',
  },
  {
    fault: 'a line of the audit that was taken out',
    rows: ({ accepted }) => `
      delete from audit_rows
      where purchase_key = (select quote_key from jobs where job_key = '${accepted}') and action = 'deliver'`,
    refused: /audit_rows only grows/,
    named: 'I2 the audit of a purchase is an unbroken chain',
  },
  {
    fault: 'a line of the audit in another month than its purchase',
    rows: ({ accepted }) => `
      insert into audit_rows select (jsonb_populate_record(a, '{"month": "2020-01-01", "sequence": 7}')).* from audit_rows a
      where purchase_key = (select quote_key from jobs where job_key = '${accepted}') and action = 'accept'`,
    refused: /the audit of \S+ belongs to/,
    named: 'the rows of a purchase lie in the month in which it began',
  },
  {
    fault: 'an audit that no archive has',
    rows: ({ accepted }) => `
      insert into archive_manifests values (1, now(), 1, null, 'sha256:${'0'.repeat(64)}');
      insert into archived_audit select month, 1, 1, purchase_key, purchase_key, 1, 1, sha256('x'), sha256('x'), 1
      from audit_rows
      where sequence = 1 and purchase_key = (select quote_key from jobs where job_key = '${accepted}');
      insert into audit_ends select first_key, month, 1, 1, 1, sha256('x'), '[]' from archived_audit`,
    refused: /has other rows than the audit/,
    named: 'the audit of a purchase lies whole in the database or has whole left it',
  },
  {
    fault: 'a change of state without a line in the audit',
    rows: ({ delivered }) => `
      update jobs set state = 'accepted', charge_state = 'final', review_state = 'accepted'
      where job_key = '${delivered}'`,
    named: 'I18 the state of a job is the last one in its audit',
  },
  {
    fault: 'a step that the table of transitions does not have',
    rows: ({ queued }) => `
      insert into audit_rows (month, purchase_key, at, actor, action, state_from, state_to)
      select audit_month(quote_key), quote_key, now(), 'worker', 'deliver', 'queued', 'delivered' from jobs where job_key = '${queued}'`,
    named: 'I18 the audit of a purchase is a walk along the transitions',
  },
  {
    fault: 'a receipt that was never issued',
    rows: ({ accepted }) => `delete from receipts where job_key = '${accepted}' and sequence = 3`,
    refused: /receipts only grows/,
    named: 'I2 the newest receipt says what the job says',
  },
  {
    fault: 'a receipt that names no receipt before it',
    rows: ({ accepted }) => `
      insert into job_texts select (jsonb_populate_record(t, '{"number": 4}')).*
      from job_texts t where job_key = '${accepted}' and kind = 'receipts' and number = 1;
      insert into receipts
      select (jsonb_populate_record(r, '{"receipt_key": "rcpt_x", "sequence": 4}')).*
      from receipts r where job_key = '${accepted}' and sequence = 1`,
    refused: /does not follow the last receipt/,
    named: 'I2 the receipts of a job are an unbroken chain, one for each change since the collection',
  },
  {
    fault: 'a second report for one execution',
    rows: ({ delivered }) => `
      insert into job_texts select (jsonb_populate_record(t, '{"number": 2}')).* from job_texts t
      where job_key = '${delivered}' and kind = 'reports';
      insert into reports select (jsonb_populate_record(r, '{"number": 2}')).* from reports r
      where job_key = '${delivered}'`,
    named: 'I21 each report was delivered once',
  },
  {
    fault: 'a report that was changed after it was delivered',
    rows: ({ delivered }) => `update reports set digest = 'sha256:0' where job_key = '${delivered}'`,
    refused: /reports only grow/,
    named: 'I21 a delivered job has the report that its digest names',
  },
  {
    fault: 'a text that no archive has',
    rows: ({ delivered }) => `delete from job_texts where kind = 'reports' and job_key = '${delivered}'`,
    refused: /stays until the archive has it/,
    named: 'a text of a report or receipt is here or in an archived object',
  },
  {
    fault: 'a text that was changed',
    rows: ({ delivered }) => `update job_texts set number = 2 where kind = 'reports' and job_key = '${delivered}'`,
    refused: /stays until the archive has it/,
    named: 'a text is of a report or receipt',
  },
  {
    fault: 'a text in another month than its job',
    rows: ({ delivered }) => `
      insert into job_texts select job_key, kind, number, body, at, '2020-01-01' from job_texts
      where kind = 'reports' and job_key = '${delivered}'`,
    refused: /the texts of \S+ belong to/,
    named: 'a text lies in the month of its job',
  },
  {
    fault: 'an archived purchase whose content can still be deleted',
    rows: ({ accepted }) => `
      insert into archive_manifests values (1, now(), 1, null, 'sha256:${'0'.repeat(64)}');
      insert into archived_jobs select '${accepted}', 1, 1, sha256('x'), array[sha256('x')]`,
    refused: /content of \S+ is not deleted yet/,
    named: 'a text of a report or receipt is here or in an archived object',
  },
  {
    fault: 'a failed delivery that is charged',
    rows: ({ queued }) => `update jobs set state = 'failed' where job_key = '${queued}'`,
    refused: /violates check constraint/,
    named: 'I21 what failed or was canceled costs nothing',
  },
  {
    fault: 'an acceptance by silence',
    rows: ({ accepted }) => `update reviews set reviewer = 'system' where job_key = '${accepted}'`,
    refused: /a review stands as it was given/,
    named: 'I23 whoever accepted has a name',
  },
  {
    fault: 'an answer that is given differently the second time',
    rows: () => `update idempotency_answers set body = '{}'`,
    refused: /an answer is kept as it was given/,
  },
  {
    fault: 'an answer that became another one after it was given',
    rows: () => `update idempotency_claims set status = 201 where operation = 'pay' and status = 200`,
    refused: /an answer is kept as it was given/,
  },
  {
    fault: 'an answer that is lost while its key still stands',
    rows: () => `delete from idempotency_answers`,
    named: 'I10 only final answers are kept',
  },
  {
    fault: 'an outage that is kept as the answer',
    rows: ({ principal }) => `
      insert into idempotency_claims
      values ('${principal}', 'check_work', '', 'x', 'sha256:0', 500, now(), now())`,
    refused: /violates check constraint/,
    named: 'I10 only final answers are kept',
  },
  {
    fault: 'an answer that reports what was never committed',
    rows: ({ principal }) => `
      with claim as (
        insert into idempotency_claims
        values ('${principal}', 'check_work', '', 'x', 'sha256:0', 201, now(), now()) returning week, number)
      insert into idempotency_answers select week, number, '{"quote_key": "quote_x"}' from claim`,
    named: 'I19 what was acknowledged is there',
  },
  {
    fault: "an answer about somebody else's purchase",
    rows: ({ waiting }) => `
      with claim as (
        insert into idempotency_claims
        select 'wallet_somebody_else', 'authorize', quote_key, 'x', 'sha256:0', 201, now(), now()
        from jobs where job_key = '${waiting}' returning week, number)
      insert into idempotency_answers
      select week, number, json_build_object('quote_key', quote_key, 'job_key', job_key) from claim, jobs
      where job_key = '${waiting}'`,
    named: 'I12 an answer names rows of the principal that it was given to',
  },
  {
    fault: 'a token in clear',
    rows: () => `update credentials set token_hash = 'svc_wallet_' || repeat('a', 36)`,
    refused: /violates check constraint/,
    named: 'I15 no token is kept in clear',
  },
  {
    fault: "a job on another buyer's grant",
    rows: ({ waiting, principal }) => `
      update jobs set grant_key = (select grant_key from grants where principal_key <> '${principal}' limit 1)
      where job_key = '${waiting}'`,
    refused: /what \S+ was authorized as does not change/,
    named: 'I29 the rows of a purchase name one buyer',
  },
  {
    fault: 'work whose message was lost',
    rows: ({ queued }) => `delete from pgboss.job where data ->> 'job_key' = '${queued}'`,
    named: 'I28 queued work has its message',
  },
  {
    fault: 'content that is said to be deleted',
    rows: ({ accepted }) => `
      update quotes set input_deleted_at = now()
      where quote_key = (select quote_key from jobs where job_key = '${accepted}')`,
    named: 'I27 deleted content is nowhere',
  },
];

/** What the chains would show of it. */
const chainFaults: PlantedFault<Victims>[] = [
  {
    fault: 'money that came and that no payment knows of',
    rows: ({ queued }) => `delete from payments where job_key = '${queued}'`,
    refused: /payments only grows/,
    named: 'I6 \\S+ pays us, and no payment knows of it',
  },
  {
    fault: 'money that came and was taken for failed',
    rows: ({ queued }) => `update payments set state = 'failed' where job_key = '${queued}'`,
    refused: /what is known about \S+ does not change/,
    named: 'I8 \\S+ failed, but its money came',
  },
  {
    fault: 'a collection that never happened',
    rows: ({ queued, waiting }) => `
      insert into payments
      select (jsonb_populate_record(p, '{"payment_key": "pay_x", "job_key": "${waiting}"}')).*
      from payments p where job_key = '${queued}';
      insert into x402_transfers select (jsonb_populate_record(x, '{"payment_key": "pay_x", "nonce": "0x1"}')).*
      from x402_transfers x join payments using (payment_key) where job_key = '${queued}'`,
    refused: /no transfer pays pay_x/,
    named: 'I6 pay_x is collected, and the chain knows of no transfer',
  },
  {
    fault: 'a collection that names the transfer of another',
    rows: ({ queued }) => `
      update chain_transfers set transaction = '0x1'
      where payment_key = (select payment_key from payments where job_key = '${queued}')`,
    refused: /is payment for good/,
    named: 'I6 \\S+ names another transfer than 0x',
  },
  {
    fault: 'a refund that was only written down',
    rows: ({ canceled }) => `
      insert into refunds (refund_key, payment_key, job_key, network, arrival_transaction, arrival_position,
        amount_microcents, reason, state, next_try_at, created_at)
      select 'refund_x', payment_key, job_key, network, transaction, position, c.amount_microcents, 'second_dispute',
        'refunded', now(), now()
      from chain_transfers c join payments using (payment_key) where job_key = '${canceled}'`,
    refused: /nothing carries refund_x out/,
    named: 'I6 refund_x is refunded, and the chain knows of no such transfer',
  },
  {
    fault: 'a refund that was only written down, of an arrival that the chain is said to have lost',
    rows: ({ canceled }) => `
      insert into refunds (refund_key, payment_key, job_key, network, arrival_transaction, arrival_position,
        amount_microcents, reason, state, next_try_at, created_at)
      select 'refund_x', payment_key, job_key, network, transaction, position, c.amount_microcents, 'second_dispute',
        'refunded', now(), now()
      from chain_transfers c join payments using (payment_key) where job_key = '${canceled}';
      update chain_transfers set removed_at = now() from payments
      where payments.payment_key = chain_transfers.payment_key and job_key = '${canceled}'`,
    refused: /nothing carries refund_x out/,
    named: 'I6 refund_x is refunded, and the chain knows of no such transfer',
  },
  {
    fault: 'a refund that would happen again after a restore, because its nonce does not follow from its arrival',
    rows: ({ queued }) => `
      update chain_transfers set refund_nonce = '0x1'
      where payment_key = (select payment_key from payments where job_key = '${queued}')`,
    refused: /is payment for good/,
    named: 'I8 0x\\S+ would go back under another nonce than its own',
  },
];

const service = await startService();
let victims: Victims;

beforeAll(async () => {
  const [agent] = await Promise.all([Agent.arrive(service), Agent.arrive(service)]);
  const [waiting, queued, delivered, accepted, canceled] = await Promise.all([
    agent.authorizedJob(),
    agent.paidJob(),
    agent.paidJob(),
    agent.paidJob(),
    agent.paidJob(),
  ]);
  await Promise.all([service.execute(delivered), service.execute(accepted)]);
  for (const [path, body] of [
    [`${accepted}/review`, { decision: 'accept' }],
    [`${canceled}/cancel`, {}],
  ] as const) {
    const { status, text } = await agent.post(`/api/agent/v1/jobs/${path}`, body);
    expect(status, text).toBe(200);
  }
  await facilitatorFault(service.sandbox.controlUrl, { mode: 'drop_before_settle' });
  const unknown = await agent.paidJob();
  await clearFaults(service.sandbox.controlUrl);
  const principal = agent.wallet.address.toLowerCase();
  victims = { principal, waiting, unknown, queued, delivered, accepted, canceled };
});

const { pool } = service.database;

describe('the database', () => {
  it.each(refusedOf([...faults, ...chainFaults]))('refuses $fault', async ({ rows, refused }) => {
    await tentatively(pool, async (client) => {
      await expect(client.query(rows(victims))).rejects.toThrow(refused);
    });
  });
});

describe('the checker, where the database does not refuse it,', () => {
  it.each(namedOf(faults))('names $fault', async ({ rows, named, refused }) => {
    const broken = await tentatively(pool, async (client) => {
      if (refused) await client.query(withoutGuards);
      await client.query(rows(victims));
      return brokenInvariants(client);
    });
    expect(broken.map((finding) => finding.split(':', 1)[0])).toContain(named);
  });

  it.each(namedOf(chainFaults))('names $fault', async ({ rows, named, refused }) => {
    const broken = await tentatively(pool, async (client) => {
      if (refused) await client.query(withoutGuards);
      await client.query(rows(victims));
      return chainDifferences(client, service.sandbox.controlUrl);
    });
    expect(broken).toContainEqual(expect.stringMatching(named));
  });
});
