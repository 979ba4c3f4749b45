// Longer than 300 lines: one table, every invariant with the statement that finds violations.
import type pg from 'pg';
import { jobStates, moneyNotes, transitions } from '../../server/purchases/states.ts';

/** All entries, those that left for the archive as one for each account and side. */
const allEntries = `(
  select debit_account, credit_account, amount_microcents, event, transaction from ledger_transfers
  union all select account, null, debited_microcents, 'archived', 0 from ledger_left
  union all select null, account, credited_microcents, 'archived', 0 from ledger_left) all_entries`;

/** Whether the archive has an event of a job. */
const isArchived = (job: string, event: string): string =>
  `exists (select from job_holdings h where h.job_key = ${job} and event_digest(${event}) = any(h.archived_events))`;

/**
 * What must always hold, checked after every integration test and after the trials of money. Each of the product's
 * invariants I1 to I30 is enforced in one or more of these places:
 *
 * | | promise | held by |
 * | --- | --- | --- |
 * | I1 | the books balance | a movement debits and credits the same amount, by its shape; here: no account is overdrawn |
 * | I2 | books, audit, receipts, reports and reviews only grow | triggers; here: the chains |
 * | I3 | no work before a collection | trigger and CHECK; here |
 * | I4 | one collection for a job | unique index; here |
 * | I5 | remedies never exceed the collection | trigger; here |
 * | I6 | the chain's transfers are the books' | chain-books.ts |
 * | I7 | an unknown outcome is a state that ends | pay.integration.test.ts |
 * | I8 | money that is late or twice goes back | chain-books.ts: every transfer to us is accounted for |
 * | I9 | a quote is frozen | trigger; here: a job costs what its quote says |
 * | I10, I11 | one key, one answer, one body | trigger; purchase.integration.test.ts; here: what was answered is so |
 * | I12 | a key counts for its principal | primary key; here: an answer names its own principal's rows |
 * | I13 | no limit is passed | trigger; here |
 * | I14 | no price over the buyer's ceiling | CHECK |
 * | I15 | no secret at rest | CHECK; here |
 * | I16 | an ended credential ends at once | purchase.integration.test.ts |
 * | I17 | `next_actions` is exact | purchase.integration.test.ts |
 * | I18 | a job moves along the table of transitions | compare-and-set; here: the audit is such a walk |
 * | I19 | what was acknowledged is there | acknowledged.ts; here; money-survives-crashes.e2e.ts |
 * | I20 | every job ends or waits for its buyer | money-survives-crashes.e2e.ts |
 * | I21 | one report for an execution; a failure charges nothing | here |
 * | I22 | one correction, one refund | unique index; here |
 * | I23 | silence is no acceptance | here: whoever accepted has a name |
 * | I25 | one signature, one job | unique index |
 * | I27 | deleted content is nowhere | here; retention.integration.test.ts reads the database's files |
 * | I28 | a message leaves with its fact | here: queued work has its message |
 * | I29 | nothing crosses principals | here: rows of a purchase name one buyer; purchase.integration.test.ts |
 * | I30 | a report keeps the contract | work-check/validate-report.ts and its trials |
 *
 * I24 and I26 concern cards: checked here, and card-books.ts compares them with the provider's books. The tests
 * planted-data, planted-card and planted-builds show that the intended faults violate each of these. Each statement
 * selects the rows that violate its invariant.
 */
const invariants = {
  'I1 no account of the books is overdrawn': `
    select account, sum(amount) from (
      select credit_account as account, amount_microcents as amount from ${allEntries}
      union all select debit_account, -amount_microcents from ${allEntries}) movements
    -- What was there before the books began, what a reorganisation put in suspense, and a balance at the card provider
    -- after refunds, which cost its fees and which it may take from our bank, can stand on either side.
    where account not in ('equity:opening', 'suspense:reorganised', 'asset:card', 'asset:bank')
    group by account
    having sum(case when account like any (array['asset:%', 'expense:%', 'suspense:%', 'equity:withdrawn']) then -amount
      else amount end) < 0`,
  'I2 the audit of a purchase is an unbroken chain': `
    select purchase_key, sequence from (
      select a.*, coalesce(lag(a.hash) over w, encode(e.hash, 'hex')) as hash_before,
        row_number() over w + coalesce(first_value(e.sequence) over w, 0) as place
      from audit_rows a left join audit_ends e on e.purchase_key = a.purchase_key and e.sequence = a.sequence - 1
      window w as (partition by a.purchase_key order by a.sequence)) rows
    where previous_hash is distinct from hash_before or sequence <> place
      or hash <> encode(sha256(convert_to(concat_ws(E'\\x1f', purchase_key, sequence, extract(epoch from at), actor,
        action, state_from, state_to, previous_hash), 'UTF8')), 'hex')`,
  'the rows of a purchase lie in the month in which it began': `
    select purchase_key from audit_rows join quotes on quote_key = purchase_key where month <> month_of(created_at)`,
  'the audit of a purchase lies whole in the database or has whole left it': `
    select purchase_key from audit_ends e
    where (select count(*) from audit_steps s where s.purchase_key = e.purchase_key and s.sequence <= e.sequence) <> sequence
      or (select count(*) from audit_rows a where a.purchase_key = e.purchase_key and a.sequence <= e.sequence)
        not in (0, jsonb_array_length(steps))`,
  'I2 the receipts of a job are an unbroken chain, one for each change since the collection': `
    select j.job_key from jobs j left join (
      select job_key, sequence, row_number() over w as place,
        body is not null and body::jsonb ->> 'previous_receipt_digest' is distinct from lag(digest) over w as torn
      from receipts left join (select job_key, number as sequence, body from job_texts where kind = 'receipts') t
        using (job_key, sequence) window w as (partition by job_key order by sequence)) r using (job_key)
    group by j.job_key, j.collected_at
    having bool_or(r.torn or r.sequence <> r.place) or (j.collected_at is not null) <> (count(r.sequence) > 0)`,
  'I2 the newest receipt says what the job says': `
    select j.job_key from jobs j join lateral (
      select text_of(job_key, 'receipts', sequence)::jsonb as body from receipts r where r.job_key = j.job_key order by sequence desc limit 1) r on true
    where body is not null and (body -> 'charge' ->> 'state', body -> 'collection' ->> 'state', body ->> 'report_digest')
      is distinct from (j.charge_state, j.payment_state, j.report_digest)`,
  'I2 the newest receipt names the transfer that gave its payment back': `
    select j.job_key from jobs j join payments p on p.job_key = j.job_key and p.state = 'collected'
    join refunds f on f.payment_key = p.payment_key and f.state = 'refunded'
    join chain_transfers back on back.refund_key = f.refund_key and back.removed_at is null
    join lateral (
      select text_of(job_key, 'receipts', sequence)::jsonb as body from receipts r where r.job_key = j.job_key order by sequence desc limit 1) r on true
    where body -> 'remedy' ->> 'kind' = 'refund'
      and f.settled_at is null
      and body -> 'remedy' ->> 'reference' is distinct from back.network || ':' || back.transaction`,
  'I2 the newest receipt tells of a refund of its own payment only': `
    select j.job_key from jobs j join payments p on p.job_key = j.job_key and p.state = 'collected'
    left join refunds f on f.payment_key = p.payment_key and f.reason <> 'late_payment'
    join lateral (
      select text_of(job_key, 'receipts', sequence)::jsonb -> 'remedy' as remedy from receipts r where r.job_key = j.job_key order by sequence desc limit 1) r on true
    where j.payment_state <> 'reversed' and remedy is not null and (remedy ->> 'kind' = 'refund' or f.refund_key is not null)
      and (remedy ->> 'kind', remedy ->> 'state') is distinct from case f.settled_as
        when 'sent_by_hand' then row('refund'::text, 'refunded'::text) when 'wallet_credit' then row('wallet_credit'::text, 'credited'::text)
        else row('refund'::text, f.state) end`,
  'I3 no job works or is delivered without a collection': `
    select job_key from jobs j where (state not in ('awaiting_payment', 'canceled') or collected_at is not null)
      and not exists (select from payments p where p.job_key = j.job_key and p.state = 'collected')`,
  'I4 a job has one collection at most': `
    select job_key from payments where state = 'collected' group by job_key having count(*) > 1`,
  'I4 no payment began after the time to pay': `
    select payment_key from payments join jobs using (job_key) where payments.created_at >= pay_by`,
  'I4 no payment is open on a job that is not waiting for one': `
    select payment_key from payments join jobs using (job_key)
    where payments.state in ('settling', 'unknown')
      and (jobs.state <> 'awaiting_payment' or jobs.payment_state not in ('requires_payer', 'processing', 'unknown'))`,
  'I5 what is held for a job is zero or its price, as its charge says': `
    select j.job_key from jobs j left join ledger_transfers l using (job_key) left join job_holdings h using (job_key)
    group by j.job_key, j.charge_state, j.price_microcents, h.held_microcents, h.archived_events
    having case when h.archived_events is not null then h.held_microcents
      else coalesce(sum(put_into('liability:held', l.debit_account, l.credit_account, l.amount_microcents)), 0) end
      <> case when j.charge_state = 'held' then j.price_microcents else 0 end`,
  'I5 remedies give back no more than was collected': `
    select job_key from ledger_transfers l
    where not exists (select from job_holdings h where h.job_key = l.job_key and archived_events is not null)
    group by job_key
    having coalesce(sum(amount_microcents) filter (where event in ('credited', 'refund_owed')), 0)
      > coalesce(sum(amount_microcents) filter (where credit_account = 'liability:held'), 0)`,
  'I5 what a job holds is the sum of its entries, as far as they are here': `
    select coalesce(h.job_key, l.job_key) from job_holdings h full join (
      select job_key, sum(put_into('liability:held', debit_account, credit_account, amount_microcents)) as held,
        sum(put_into('liability:refunds', debit_account, credit_account, amount_microcents)) as owed,
        sum(put_into('revenue:work_check', debit_account, credit_account, amount_microcents)) as earned
      from ledger_transfers where job_key is not null group by job_key) l using (job_key)
    where archived_events is null
      and (h.held_microcents, h.owed_microcents, h.earned_microcents) is distinct from (l.held, l.owed, l.earned)`,
  'I5 what all jobs hold is what the account of it says': `
    select held, balance from (select coalesce(sum(held_microcents), 0) as held from job_holdings) jobs, (
      select coalesce(sum(case credit_account when 'liability:held' then amount_microcents else -amount_microcents end), 0)
        as balance
      from ${allEntries} where 'liability:held' in (debit_account, credit_account)) books
    where held <> balance`,
  'I2 an event of a job is booked once, and its entry lies in the month in which that began': `
    select event_key from ledger_transfers where job_key is not null group by event_key having count(*) > 1
    union all
    select event_key from ledger_transfers l join jobs using (job_key) where month <> month_of(created_at)
    union all
    select job_key from job_holdings, unnest(archived_events) event group by job_key, event having count(*) > 1`,
  'I5 what is owed back is a refund on its way, in the books and on the job': `
    select r.refund_key from refunds r left join jobs using (job_key)
    cross join lateral (select case r.reason when 'late_payment' then 'arrived_late:'
      when 'returned_by_operator' then 'return_owed:' when 'returned_before' then 'return_owed:' else 'refund_owed:' end
      || case when r.reason = 'late_payment' and r.intent_id is not null then r.intent_id
        when r.reason in ('late_payment', 'returned_by_operator', 'returned_before')
        then r.network || ':' || arrival_transaction || ':' || arrival_position else payment_key end as event_key) owed
    left join ledger_transfers l using (event_key)
    where (r.reason <> 'payment_reversed' and l.amount_microcents is distinct from r.amount_microcents
        and not ${isArchived('r.job_key', 'owed.event_key')})
      or (r.job_key is not null and r.reason <> 'late_payment' and jobs.payment_state not in (case r.settled_as when 'sent_by_hand' then 'refunded'
        when 'wallet_credit' then 'credited' else r.state end, 'reversed') and not (jobs.payment_state = 'disputed'
        and exists (select from card_disputes d where d.payment_key = r.payment_key and closed_at is null and job_payment_state = r.state)))`,
  'I5 what goes back for an arrival is no more than it brought, and goes to who sent it': `
    select c.network, c.transaction, c.position from chain_transfers c join refunds r
      on (r.network, r.arrival_transaction, r.arrival_position) = (c.network, c.transaction, c.position)
    group by c.network, c.transaction, c.position, c.amount_microcents
    having sum(r.amount_microcents) > c.amount_microcents
    union all
    select back.network, back.transaction, back.position from chain_transfers back join refunds r using (refund_key)
    join chain_transfers c on (r.network, r.arrival_transaction, r.arrival_position) = (c.network, c.transaction, c.position)
    where (back.recipient, back.nonce, back.amount_microcents) is distinct from
      (c.sender, c.refund_nonce, r.amount_microcents)`,
  'I5 a refund that is done has a transfer, and no other has': `
    select refund_key from refunds r
    where intent_id is null
        and (state = 'refunded') <> exists (select from chain_transfers c where c.refund_key = r.refund_key)
      or intent_id is not null and state = 'refunded' and provider_refund_id is null`,
  'I5 credit to spend is what the books say, and never below zero': `
    select coalesce(w.principal_key, l.principal_key) from wallet_credits w full join (
      select principal_key, sum(change) as balance from (
        select event_key, principal_key,
          put_into('liability:wallet_credit', debit_account, credit_account, amount_microcents) as change
        from ledger_transfers where 'liability:wallet_credit' in (debit_account, credit_account)
        union select event_key, principal_key, change_microcents from archived_credit) changes
      group by principal_key
    ) l using (principal_key)
    where w.balance_microcents is distinct from l.balance or l.balance < 0`,
  'I5 a closing of the books is the sum of the transfers before it': `
    select account from (
      select to_transaction, account, sum(amount) as closed from (select distinct to_transaction from ledger_closings) c,
        lateral (
          select debit_account as account, amount_microcents as amount from ${allEntries}
          where transaction < to_transaction and debit_account is not null
          union all select credit_account, -amount_microcents from ${allEntries}
          where transaction < to_transaction and credit_account is not null) movements
      group by to_transaction, account) books
    full join ledger_closings using (to_transaction, account)
    where closed is distinct from debited_microcents - credited_microcents`,
  'I6 every log is in the books, once and in full, and what it became is what it is used for': `
    select c.network, c.transaction, c.position from chain_transfers c
    left join ledger_transfers l on l.event_key = case when refund_nonce is null then 'left:' else 'arrived:' end
      || c.network || ':' || c.transaction || ':' || c.position
    where l.amount_microcents is distinct from c.amount_microcents
      or (c.removed_at is not null) <> (c.moves % 2 = 1)`,
  'I6 a chain holds in the books what its logs say': `
    select account from (
      select 'asset:x402:' || network as account, sum(case when removed_at is not null then 0
        when refund_nonce is null then -amount_microcents else amount_microcents end) as shown
      from chain_transfers group by network) logs
    left join (
      select account, sum(amount) as kept from (
        select debit_account as account, amount_microcents as amount, event from ${allEntries}
        union all select credit_account, -amount_microcents, event from ${allEntries}) movements
      where account like 'asset:x402:%' and event <> 'opening' group by account) books using (account)
    where coalesce(kept, 0) <> shown and not exists (
      select from ledger_transfers where event in ('arrived', 'left') and 'equity:opening' in (debit_account, credit_account))`,
  'I6 what is unmatched in the books is what no use was found for': `
    select kept from (
      select coalesce(sum(case when credit_account = 'liability:unmatched' then amount_microcents
        else -amount_microcents end), 0) as kept
      from ${allEntries} where 'liability:unmatched' in (debit_account, credit_account)) books,
    (select coalesce(sum(amount_microcents), 0) as shown from chain_transfers where use = 'unmatched') logs
    where kept <> shown`,
  'I6 the chain is what the books say at the block that was searched': `
    select network, balance, ledger from (
      select network, sum(balance_microcents) as balance, min(searched_to) as searched_to from searched_chains
      group by network having count(balance_microcents) = count(*)) s, lateral (
      select (select coalesce(sum(case when debit_account = 'asset:x402:' || s.network then amount_microcents
          else -amount_microcents end), 0) from ${allEntries}
        where 'asset:x402:' || s.network in (debit_account, credit_account))
      - (select coalesce(sum(case when refund_nonce is null then -amount_microcents else amount_microcents end), 0)
        from chain_transfers c
        where c.network = s.network and removed_at is null and block_number > searched_to
          and block_number > (select a.searched_to from searched_chains a where a.network = c.network
            and a.address = case when c.refund_nonce is null then c.sender else c.recipient end)) as ledger) books
    where balance <> ledger`,
  'I6 what is collected is in the books, once and in full': `
    select p.payment_key from payments p
    left join ledger_transfers l on l.event_key
      = case when p.method = 'wallet_credit' then 'credit_spent:' else 'collected:' end || p.payment_key
    where p.state = 'collected' and (l.event_key is null or l.amount_microcents <> p.amount_microcents) and not ${isArchived(
      'p.job_key',
      "case when p.method = 'wallet_credit' then 'credit_spent:' else 'collected:' end || p.payment_key",
    )}`,
  'I6 what is collected by transfer was paid by one log, of its own authorization': `
    select p.payment_key from x402_payments p left join chain_transfers c using (payment_key)
    where p.state = 'collected' group by p.payment_key
    having count(c.transaction) = 0 or count(*) filter (where c.removed_at is null) > 1
      or bool_or((c.sender, c.recipient, c.nonce, c.amount_microcents)
        is distinct from (p.payer, p.pay_to, p.nonce, p.amount_microcents))`,
  'I6 what is collected by card was paid by one charge, of its own amount': `
    select p.payment_key from payments p left join card_charges c on c.payment_key = p.payment_key and c.use = 'payment'
    where p.rail = 'card' and (p.state = 'collected') <> (c.intent_id is not null)
      or c.amount_microcents <> p.amount_microcents`,
  'I6 every charge is in the books, once and in full, with its fee': `
    select intent_id from card_charges c
    left join ledger_transfers l on l.event_key = 'charged:' || intent_id
    left join ledger_transfers f on f.event_key = 'charge_fee:' || intent_id
    where l.amount_microcents is distinct from c.amount_microcents
      or coalesce(f.amount_microcents, 0) <> c.fee_microcents`,
  'I6 the provider holds in the books what charges, refunds, disputes, payouts and fees come to': `
    select kept, shown from (select coalesce(sum(case when debit_account = 'asset:card' then amount_microcents
        else -amount_microcents end), 0) as kept
      from ${allEntries} where 'asset:card' in (debit_account, credit_account)) books,
    (select (select coalesce(sum(amount_microcents - fee_microcents), 0) from card_charges)
      - (select coalesce(sum(amount_microcents), 0) from refunds where intent_id is not null and state = 'refunded')
      - (select coalesce(sum(withdrawn_microcents + fee_microcents), 0) from card_disputes)
      - (select coalesce(sum(case when credit_account = 'asset:card' then amount_microcents
          else -amount_microcents end), 0)
        from ledger_transfers
        where event in ('paid_out', 'payout_returned', 'provider_fee', 'provider_fee_returned', 'account_left', 'account_resumed')) as shown) rows
    where kept <> shown`,
  'I5 a charge goes back once, and no more of it than it took': `
    select c.intent_id from card_charges c join refunds r using (intent_id)
    group by c.intent_id, c.amount_microcents
    having count(*) > 1 or sum(r.amount_microcents) > c.amount_microcents`,
  'I24 a dispute that is open stands on its job, and no other does': `
    select dispute_id from card_disputes d join payments using (payment_key) join jobs using (job_key)
    where told_at is not null and closed_at is null and job_payment_state is not null and payment_state <> 'disputed'
    union all
    select job_key from jobs where payment_state = 'disputed' and not exists (
      select from card_disputes d join payments p using (payment_key)
      where p.job_key = jobs.job_key and closed_at is null and job_payment_state is not null)`,
  'I24 a payment by card is reversed by a dispute that was lost, and by nothing else': `
    select payment_key from payments p
    where rail = 'card' and state = 'collected' and (reversed_at is not null) <> exists (
      select from card_disputes d join card_charges c using (intent_id)
      where c.payment_key = p.payment_key and c.use = 'payment' and outcome = 'lost')`,
  'I29 a card that is kept is charged for the account that keeps it': `
    select payment_key from card_payments join payments using (payment_key) join jobs using (job_key)
    join saved_cards s using (card_key)
    where s.account_key <> jobs.account_key or s.customer_id <> card_payments.customer_id
    union all
    select card_key from saved_cards s left join card_customers c using (account_key)
    where s.removed_at is null and s.customer_id is distinct from c.customer_id`,
  'I8 a charge that was late is owed back': `
    select intent_id from card_charges c where use = 'late'
      and not exists (select from refunds r where r.intent_id = c.intent_id and r.reason = 'late_payment')`,
  'I24 an account with an open dispute buys nothing new': `
    select dispute_id from card_disputes d join payments using (payment_key) join jobs using (job_key)
    where told_at is not null and closed_at is null and not exists (
      select from purchase_blocks b where b.payment_key = d.payment_key and b.account_key = jobs.account_key
        and cause = 'card_dispute' or b.payment_key = d.payment_key and cause = 'disowned_card')`,
  'I24 what a bank holds is in suspense': `
    select account from (select coalesce(sum(case when debit_account = 'suspense:card_disputes' then amount_microcents
        else -amount_microcents end), 0) as kept, 'suspense:card_disputes' as account from ${allEntries}
      where 'suspense:card_disputes' in (debit_account, credit_account)) books,
    (select coalesce(sum(withdrawn_microcents), 0) as held from card_disputes
      where outcome is null or outcome = 'won') disputes
    where kept <> held`,
  'I6 nothing is in the books that was not collected': `
    select l.event_key from ledger_transfers l left join payments p on l.event_key = l.event || ':' || p.payment_key
    where l.event in ('collected', 'credit_spent') and (p.payment_key is null or p.state <> 'collected' or p.job_key <> l.job_key)`,
  'I9 a job costs what its quote says': `
    select job_key from jobs join quotes using (quote_key)
    where jobs.price_microcents <> quotes.price_microcents or quotes.state <> 'authorized'`,
  'a job names the rail of its newest payment, the verdict of its newest report, and its facet': `
    select job_key from jobs
    where facet is distinct from job_facet(state, payment_state, review_state, last_rail, last_verdict)
      or last_verdict is distinct from (
        select verdict from reports r where r.job_key = jobs.job_key order by number desc limit 1)
      or last_rail is distinct from (
        select rail from payments p where p.job_key = jobs.job_key order by created_at desc limit 1)`,
  'I10 only final answers are kept': `
    select operation, idempotency_key, status from idempotency_requests
    where not (status between 200 and 299 or status in (400, 410, 422)) or (status is not null) <> (body is not null)`,
  'I12 an answer names rows of the principal that it was given to': `
    select c.scope, c.idempotency_key from idempotency_requests c
    join quotes q on q.quote_key = (c.body::jsonb ->> 'quote_key')
    where c.status between 200 and 299 and c.scope <> q.principal_key
      and not exists (select from members m where m.member_key = c.scope and m.account_key = q.account_key)`,
  'I13 a grant counts what its jobs hold of it, day by day': `
    select grant_key, day from (
      select grant_key, authorized_on as day, sum(reserved_microcents) as held from jobs
      group by grant_key, authorized_on) j
    full join grant_usage u using (grant_key, day) where coalesce(j.held, 0) <> coalesce(u.used_microcents, 0)`,
  'I13 a job holds room while it may take cash, or its cash is not back with the payer': `
    select jobs.job_key from jobs left join payments p on p.job_key = jobs.job_key and p.state = 'collected'
    where reserved_microcents <> case
      when ended_by = 'buyer' and payment_state = 'refunded' then reserved_microcents
      when credit_only or p.method = 'wallet_credit' or payment_state in ('refunded', 'reversed') then 0
      when jobs.state = 'canceled' and collected_at is null then 0
      else price_microcents end`,
  'I13 a job that was authorized without room takes no cash': `
    select job_key from jobs join payments using (job_key) where credit_only and method <> 'wallet_credit'`,
  'I13 no day and no total passes its limit': `
    select grant_key from (
      -- A limit that a member lowered below what was spent holds from then on: what counts is the highest there was.
      select grant_key, greatest(daily_limit_microcents, max(daily_before)) as daily,
        case when total_limit_microcents is null or coalesce(bool_or(was_unlimited), false) then null
          else greatest(total_limit_microcents, max(total_before)) end as total
      from grants left join (
        select principal_key, (detail->'before'->>'daily_limit_microcents')::bigint as daily_before,
          (detail->'before'->>'total_limit_microcents')::bigint as total_before,
          detail->'before'->>'total_limit_microcents' is null as was_unlimited
        from account_events where action = 'grant_changed') changes using (principal_key)
      group by grant_key) ever join grant_usage using (grant_key)
    group by grant_key, daily, total having max(used_microcents) > daily or sum(used_microcents) > total`,
  'I15 no token is kept in clear': `
    select credential_key from credentials where token_hash !~ '^[0-9A-Za-z_-]{43}$'
    union all select quote_key from quotes where input ~ 'svc_(agent|wallet|claim)_[0-9A-Za-z]{36}'
    union all select idempotency_key from idempotency_requests where body ~ 'svc_(agent|wallet|claim)_[0-9A-Za-z]{36}'`,
  'I18 the audit of a purchase is a walk along the transitions': `
    select purchase_key, sequence from (
      select a.*, lag(s.state_to) over (partition by purchase_key order by sequence) as stood
      from audit_steps s left join audit_rows a using (purchase_key, sequence)) rows
    where purchase_key is not null and (state_from is distinct from stood or not exists (
      select from (values ${legalSteps()}) legal (action, "from", "to")
      where legal.action = rows.action and legal."from" is not distinct from state_from and legal."to" = state_to))`,
  'I18 the state of a job is the last one in its audit': `
    select j.job_key from jobs j where j.state is distinct from (
      select state_to from audit_steps a where a.purchase_key = j.quote_key order by sequence desc limit 1)`,
  'I18 what moves money is in the audit': `
    select l.event_key from ledger_transfers l join jobs j using (job_key)
    where l.event in ('collected', 'credit_spent', 'accepted', 'healed', 'credited', 'refund_owed', 'refunded', 'reversed', 'arrived_late', 'refund_returned', 'lost_twice', 'refund_kept', 'sent_by_hand', 'refund_credited')
      and not exists (select from audit_steps a where a.purchase_key = j.quote_key and a.at = l.at)`,
  'I19 what was acknowledged is there': `
    select operation, idempotency_key from idempotency_requests c
    where status between 200 and 299 and (
      (operation = 'check_work' and not exists (select from quotes q where q.quote_key = body::jsonb ->> 'quote_key'))
      or (operation = 'authorize' and not exists (select from jobs j where j.job_key = body::jsonb ->> 'job_key'))
      or (operation = 'pay' and not exists (
        select from payments p where p.job_key = c.path_keys and p.state not in ('settling', 'unknown', 'failed'))))`,
  'I21 a delivered job has the report that its digest names': `
    select job_key from jobs j where report_digest is distinct from (
      select digest from reports r where r.job_key = j.job_key order by number desc limit 1)`,
  'a text of a report or receipt is here or in an archived object': `
    select j.job_key from jobs j where (select count(*) from reports r where r.job_key = j.job_key)
      + (select count(*) from receipts r where r.job_key = j.job_key)
      <> (select coalesce(sum(cardinality(texts)), 0) from archived_jobs a where a.job_key = j.job_key)
      + (select count(*) from job_texts t where t.job_key = j.job_key)`,
  'a text lies in the month of its job': `
    select job_key from job_texts join jobs using (job_key) where month <> month_of(created_at)`,
  'a text is of a report or receipt': `
    select job_key from job_texts t where not exists (
      select from reports r where t.kind = 'reports' and r.job_key = t.job_key and r.number = t.number
      union all select from receipts r where t.kind = 'receipts' and r.job_key = t.job_key and sequence = t.number)`,
  'I21 each report was delivered once': `
    select job_key from reports r join jobs using (job_key) group by job_key, quote_key
    having max(number) <> count(*) or count(*) <> (
      select count(*) from audit_steps a where a.purchase_key = quote_key and a.action in ('deliver', 'redeliver'))`,
  'I21 what failed or was canceled costs nothing': `
    select job_key from jobs where state in ('failed', 'canceled') and charge_state <> 'none'`,
  'I22 one correction and one refund at most': `
    select job_key from jobs j where (select count(*) from reports r where r.job_key = j.job_key) > 2
      or (select count(*) from refunds r where r.job_key = j.job_key and r.reason <> 'late_payment') > 1`,
  'I23 whoever accepted has a name': `
    select job_key from jobs j where state = 'accepted' and not exists (
      select from reviews r where r.job_key = j.job_key and r.decision = 'accept'
        and r.reviewer not in ('system', 'worker'))`,
  'I27 deleted content is nowhere': `
    select quote_key from quotes join jobs using (quote_key) join reviews using (job_key)
    join dispute_texts using (review_key) where input is null
    union all
    select quote_key from quotes where (input_deleted_at is null) <> (input is not null)`,
  'I29 the rows of a purchase name one buyer': `
    select j.job_key from jobs j join quotes q using (quote_key) join principals p on p.principal_key = j.principal_key
    join grants g on g.grant_key = j.grant_key
    where (j.principal_key, j.account_key) <> (q.principal_key, q.account_key) or p.account_key <> j.account_key
      or g.principal_key <> j.principal_key
      or exists (select from ledger_transfers l where l.job_key = j.job_key and l.principal_key <> j.principal_key)`,
} as const satisfies Record<string, string>;

/** Queued work has its message; the queue's tables exist once a service has run. */
const queuedWorkHasItsMessage = 'I28 queued work has its message';
const withoutMessage = `
  select job_key from jobs where (state = 'queued' or (state = 'rechecking' and lease_until is null))
    and not exists (select from pgboss.job m where m.name = 'check' and m.data ->> 'job_key' = job_key)`;

/** Every step an audit row can record, as SQL values: those of a quote, then the transition table. */
function legalSteps(): string {
  const ofQuotes = [
    ['quote', null, 'open'],
    ['authorize', 'open', 'awaiting_payment'],
  ];
  const ofJobs = Object.entries(transitions).flatMap(([action, { from, to }]) =>
    from.map((state) => [action, state, to]),
  );
  const ofMoney = moneyNotes.flatMap((action) => jobStates.map((state) => [action, state, state]));
  const text = (value: string | null | undefined) => (value ? `'${value}'` : 'null::text');
  return [...ofQuotes, ...ofJobs, ...ofMoney].map((step) => `(${step.map(text).join(', ')})`).join(', ');
}

/** Rows shown per invariant. */
const findingsMax = 100;

/**
 * More than `max` remedies of a buyer in 30 days since the last lifted block must mean a block. The limit is
 * REMEDIES_MAX.
 */
const remediesWithoutEnd = (max: number): string => `
  with remedied as (
    select account_key, payer, finalized_at from jobs left join x402_payments p on p.job_key = jobs.job_key and p.state = 'collected'
    where ended_by = 'buyer' and collected_at is not null or waived_because in ('second_dispute', 'source_withdrawn') or waived_because = 'recheck_failed' and tries > 0),
  buyers as (
    select account_key, null as payer, finalized_at from remedied
    union all select null, payer, finalized_at from remedied where payer is not null)
  select account_key, payer from (
    select w.*, max(finalized_at) over (partition by account_key, payer) as newest from buyers w
    where finalized_at > coalesce((select max(lifted_at) from purchase_blocks b
      where b.cause = 'remedies' and (b.account_key = w.account_key or b.payer = w.payer)), '-infinity')) w
  where finalized_at > newest - interval '30 days' and not exists (
    select from purchase_blocks b where lifted_at is null and cause = 'remedies'
      and (b.account_key = w.account_key or b.payer = w.payer or w.payer is not null and b.account_key in (
        select account_key from remedied r where r.payer = w.payer)))
  group by account_key, payer having count(*) > ${max}`;

/** Rows that violate an invariant, with its name. Empty when all hold. */
export async function brokenInvariants(
  database: Pick<pg.Pool, 'query'>,
  { remediesMax = 5 }: { remediesMax?: number } = {},
): Promise<string[]> {
  const queue = await database.query<{ there: boolean }>(`select to_regclass('pgboss.job') is not null as there`);
  const statements: Record<string, string> = {
    ...invariants,
    ...(queue.rows[0]?.there ? { [queuedWorkHasItsMessage]: withoutMessage } : {}),
    ...(remediesMax > 0 ? { 'I22 nobody takes remedies without end': remediesWithoutEnd(remediesMax) } : {}),
  };
  // All in one message: the way there and back took half of the time.
  const results: unknown = await database.query(Object.values(statements).join('\n;\n'));
  return Object.keys(statements).flatMap(
    (name, place) =>
      (results as pg.QueryResult[])[place]?.rows
        .slice(0, findingsMax)
        .map((row) => `${name}: ${JSON.stringify(row)}`) ?? [`${name}: was not answered`],
  );
}
