-- Longer than 300 lines: one script that fills every table, set by set.
-- Fills a migrated, empty database with purchases in every state, set by set. `seed_terms` (seed.ts) has one row with
-- what differs between installations. Purchase 1 is the newest; they span a year. Triggers are off: this script keeps
-- their rules, and `e2e/support/invariants.ts` accepts the result.
set local session_replication_role = replica;
set local synchronous_commit = off;
set local lock_timeout = 0;
set local statement_timeout = 0;

create function pg_temp.seed_key(prefix text, what text, nr bigint) returns text language sql stable as $$
  select prefix || '_' || substr(md5(what || nr), 1, 22) $$;
create function pg_temp.seed_hash(what text) returns text language sql stable as $$
  select encode(sha256(convert_to(what, 'UTF8')), 'hex') $$;
create function pg_temp.wire(instant timestamptz) returns text language sql stable as $$
  select to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- Who buys: one account per 50 purchases, by turns with an agent or a wallet ---------------------------------------

create temp table seed_buyers as
select nr, nr % 2 = 0 as is_agent, pg_temp.seed_key('acct', 'account', nr) as account_key,
  case when nr % 2 = 0 then pg_temp.seed_key('agent', 'agent', nr) else '0x' || substr(pg_temp.seed_hash('wallet' || nr), 1, 40)
    end as principal_key,
  pg_temp.seed_key('grant', 'grant', nr) as grant_key, pg_temp.seed_key('member', 'member', nr) as member_key,
  'owner' || nr || '@seed.example' as email, '0x' || substr(pg_temp.seed_hash('wallet' || nr), 1, 40) as payer,
  now - interval '370 days' as joined_at
from seed_terms, generate_series(1, buyers) nr;

insert into accounts (account_key, created_at) select account_key, joined_at from seed_buyers;
insert into members (member_key, account_key, email, role, created_at)
select member_key, account_key, email, 'owner', joined_at from seed_buyers where is_agent;
insert into billing_details (account_key, name, address, changed_at)
select account_key, 'Buyer ' || nr, nr || ' Seed Road', joined_at from seed_buyers where is_agent;
insert into principals (principal_key, kind, account_key, name, created_at)
select principal_key, case when is_agent then 'agent' else 'wallet' end, account_key,
  case when is_agent then 'Purchasing agent ' || nr end, joined_at from seed_buyers;
-- Their digests are made up, as those of quotes are.
insert into grant_decisions (grant_digest, body, decided_at)
select 'sha256:' || pg_temp.seed_hash(grant_key), jsonb_build_object('grant_key', grant_key, 'principal_key', principal_key,
  'decided_at', pg_temp.wire(joined_at), 'service_keys', array[service_key],
  'payment_methods', case when is_agent then array['x402', 'card_checkout', 'card_saved'] else array['x402'] end,
  'per_job_limit_microcents', 2 * price, 'daily_limit_microcents', 100000 * price, 'total_limit_microcents', null,
  'governed_refs', is_agent, 'review_authority', true), joined_at from seed_buyers, seed_terms;
insert into grants (grant_key, principal_key, service_keys, payment_methods, per_job_limit_microcents,
  daily_limit_microcents, governed_refs, review_authority, paused_at, created_at, grant_digest)
select grant_key, principal_key, array[service_key],
  case when is_agent then array['x402', 'card_checkout', 'card_saved'] else array['x402'] end, 2 * price, 100000 * price, is_agent, true,
  case when nr % 40 = 2 then now end, joined_at, 'sha256:' || pg_temp.seed_hash(grant_key) from seed_buyers, seed_terms;
insert into credentials (credential_key, principal_key, kind, token_hash, key_id, created_at, expires_at, last_used_at)
select pg_temp.seed_key('cred', 'credential', nr), principal_key, case when is_agent then 'agent' else 'wallet' end,
  substr(pg_temp.seed_hash('token' || nr), 1, 43), key_id, joined_at,
  case when is_agent then null else joined_at + interval '1 hour' end, joined_at from seed_buyers, seed_terms;
insert into registrations (registration_key, mode, state, email, agent_key, agent_name, requested_grant, terms_version,
  origin, claim_token_hash, key_id, created_at, expires_at, decided_at, claim_until, account_key, user_code_hash)
select pg_temp.seed_key('reg', 'registration', nr), 'new_customer', 'released', email, principal_key,
  'Purchasing agent ' || nr, '{}', terms_version, '192.0.2.0/24', substr(pg_temp.seed_hash('claim' || nr), 1, 43), key_id,
  joined_at, joined_at + interval '1 hour', joined_at, joined_at + interval '1 hour', account_key,
  substr(pg_temp.seed_hash('code' || nr), 1, 43) from seed_buyers, seed_terms where is_agent;
insert into account_events (account_key, principal_key, at, actor, action, detail)
select account_key, principal_key, joined_at, member_key, 'agent_connected', '{}' from seed_buyers where is_agent;
insert into oauth_records (model, id_hash, payload, created_at)
select 'Client', substr(pg_temp.seed_hash('client'), 1, 43), '{"client_name": "A host of agents"}', now from seed_terms;
insert into oauth_connections (client_id_hash, member_key, agent_key)
select substr(pg_temp.seed_hash('client'), 1, 43), member_key, principal_key from seed_buyers where is_agent and nr % 10 = 0;
insert into letters (letter_key, kind, address, about, created_at, sent_at, origin)
select pg_temp.seed_key('letter', 'letter', nr), 'registration', email, pg_temp.seed_key('reg', 'registration', nr),
  joined_at, joined_at, '192.0.2.0/24' from seed_buyers where is_agent;
insert into sign_in_links (token_digest, member_key, created_at, expires_at, used_at, next, made_by)
select pg_temp.seed_hash('link' || nr), member_key, joined_at, joined_at + interval '15 minutes', joined_at, '/purchases',
  'letter' from seed_buyers where is_agent;
insert into member_sessions (session_key, member_key, created_at, expires_at, origin, browser)
select pg_temp.seed_key('session', 'session', nr), member_key, joined_at, joined_at + interval '30 days', '192.0.2.0/24',
  'Firefox' from seed_buyers where is_agent;
insert into wallet_challenges (challenge_key, address, nonce, message, created_at, expires_at, used_at)
select pg_temp.seed_key('challenge', 'challenge', nr), principal_key, substr(md5('nonce' || nr), 1, 24),
  'Sign in to Work Check.', joined_at, joined_at + interval '5 minutes', joined_at from seed_buyers where not is_agent;
insert into switches (name, state, reason, actor, changed_at) select 'x402', 'on', 'Seeded.', 'operator', now from seed_terms;
insert into switch_changes (name, state, reason, actor, changed_at)
select 'x402', state, 'Seeded.', 'operator', now - away from seed_terms,
  (values ('off', interval '2 hours'), ('on', interval '1 hour')) turned (state, away);
insert into rate_counts (subject, limit_name, used, window_end)
select principal_key, 'requests', 1, now + interval '1 minute' from seed_buyers, seed_terms where nr <= 100;

-- The events of each course of a purchase; `after` counts from the quote --------------------------------------------

create temp table seed_steps (course text, sequence int, after interval, actor text, action text, state_from text,
  state_to text, has_receipt boolean, payment_state text, charge_state text, report int, receipt int);
insert into seed_steps
select course, row_number() over steps, after, actor, action, state_from, state_to, charge <> '-',
  coalesce(payment, 'collected'), charge, report, count(*) filter (where charge <> '-') over steps
from (
  with quoted (after, actor, action, state_from, state_to, charge, payment, report) as (values
      (interval '0', 'buyer', 'quote', null, 'open', '-', null, 0),
      (interval '60 s', 'buyer', 'authorize', 'open', 'awaiting_payment', '-', null, 0)),
    paid as (table quoted union all values
      (interval '120 s', 'system', 'collect', 'awaiting_payment', 'queued', 'held', null, 0)),
    begun as (table paid union all values
      (interval '122 s', 'worker', 'start', 'queued', 'running', '-', null, 0)),
    delivered as (table begun union all values
      (interval '150 s', 'worker', 'deliver', 'running', 'delivered', 'held', null, 1)),
    accepted as (table delivered union all values
      (interval '1 h', 'buyer', 'accept', 'delivered', 'accepted', 'final', null, 1)),
    disputed as (table delivered union all values
      (interval '155 s', 'buyer', 'dispute', 'delivered', 'rechecking', 'held', null, 1),
      (interval '156 s', 'worker', 'recheck', 'rechecking', 'rechecking', '-', null, 1)),
    redelivered as (table disputed union all values
      (interval '180 s', 'worker', 'redeliver', 'rechecking', 'redelivered', 'held', null, 2)),
    waived as (table redelivered union all values
      (interval '1 h', 'buyer', 'dispute_again', 'redelivered', 'waived', 'waived', 'refund_pending', 2))
  select 'quoted' as course, q.* from quoted q where action = 'quote'
  union all select 'unpaid', q.* from quoted q
  union all select 'paying', q.* from quoted q
  union all select 'lapsed', q.* from quoted q
  union all values ('lapsed', interval '86460 s', 'system', 'lapse', 'awaiting_payment', 'canceled', '-', null, 0)
  union all select 'queued', q.* from paid q
  union all select 'canceled', q.* from paid q
  union all values ('canceled', interval '125 s', 'buyer', 'cancel', 'queued', 'canceled', 'none', 'credited', 0)
  union all select 'running', q.* from begun q
  union all select 'failed', q.* from begun q
  union all values ('failed', interval '1800 s', 'system', 'fail', 'running', 'failed', 'none', 'credited', 0)
  union all select 'delivered', q.* from delivered q
  union all select 'accepted', q.* from accepted q
  union all select 'reversed', q.* from accepted q
  union all values ('reversed', interval '2 h', 'system', 'reversed', 'accepted', 'accepted', 'final', 'reversed', 1)
  union all select 'disputed', q.* from accepted q
  union all values ('disputed', interval '2 h', 'system', 'disputed', 'accepted', 'accepted', 'final', 'disputed', 1)
  union all select 'rechecking', q.* from disputed q
  union all select 'redelivered', q.* from redelivered q
  union all select 'refund_pending', q.* from waived q
  union all select 'refunded', q.* from waived q
  union all values ('refunded', interval '2 h', 'system', 'refunded', 'waived', 'waived', 'waived', 'refunded', 2)
  union all select 'refund_failed', q.* from waived q
  union all values ('refund_failed', interval '2 h', 'system', 'refund_failed', 'waived', 'waived', 'waived', 'refund_failed', 2)
) steps window steps as (partition by course order by after);

-- The purchases. What is still open is among the newest, as in a running service ------------------------------------

create temp table seed_purchases as
select i.nr, course, account_key, principal_key, grant_key, payer, pg_temp.seed_key('quote', 'quote', i.nr) as quote_key,
  pg_temp.seed_key('job', 'job', i.nr) as job_key, pg_temp.seed_key('pay', 'payment', i.nr) as payment_key,
  '0x' || pg_temp.seed_hash('transaction' || i.nr) as transaction, '0x' || pg_temp.seed_hash('nonce' || i.nr) as nonce,
  '0x' || pg_temp.seed_hash('return' || i.nr) as refund_nonce, networks[1 + i.nr % 2] as network,
  -- Banks contest card payments only; wallets pay over their chain.
  course = 'disputed' or (is_agent and i.nr % 3 = 0 and course in ('accepted', 'delivered', 'redelivered', 'refunded',
    'refund_pending', 'queued', 'running', 'rechecking')) as is_card, pg_temp.seed_key('pi', 'intent', i.nr) as intent_id,
  n - i.nr + 1 as block, i.nr <= content as has_content, i.nr % 3 as verdict,
  date_trunc('milliseconds', now - case
    when course in ('queued', 'running', 'rechecking') then interval '200 s' + i.nr % 60 * interval '1 s'
    when course in ('paying', 'quoted') and i.nr <= fresh then interval '10 minutes' + i.nr % 100 * interval '1 minute'
    when course = 'unpaid' then interval '10 minutes' + i.nr % 1200 * interval '1 minute'
    else interval '3 h' + case when course = 'lapsed' then interval '1 day' else interval '0' end
      + i.nr * interval '365 days' / n end) as created_at
from seed_terms cross join lateral (
  select nr, case
    when nr % 1000 = 99 then 'reversed'
    when nr % 1000 = 199 then 'disputed'
    when nr % 1000 = 178 then 'refund_failed'
    when nr % 1000 = 278 then 'refund_pending'
    when nr % 100 < 62 then 'accepted'
    when nr % 100 < 72 then 'delivered'
    when nr % 100 < 76 then 'redelivered'
    when nr % 100 < 79 then 'refunded'
    when nr % 100 < 83 then 'failed'
    when nr % 100 < 85 then 'canceled'
    when nr % 100 < 92 then 'lapsed'
    when nr % 100 >= 98 then 'quoted'
    when nr > fresh then 'accepted'
    when nr % 100 = 92 then 'unpaid'
    when nr % 100 = 93 then 'paying'
    when nr % 100 = 94 then 'refund_pending'
    when nr % 100 = 95 then 'queued'
    when nr % 100 = 96 then 'running'
    else 'rechecking' end as course
  from generate_series(1, n) nr) i
cross join lateral (select ('x' || substr(md5('buyer' || i.nr), 1, 7))::bit(28)::int as number) chosen
join seed_buyers b on b.nr = case when course = 'disputed' then 2 + 2 * (number % (buyers / 2)) else 1 + number % buyers end;
alter table seed_purchases add primary key (nr);

create temp table seed_events as
select p.nr, s.sequence, p.quote_key, p.job_key, p.principal_key, created_at + after as at,
  case when actor = 'buyer' then principal_key else actor end as actor, action, state_from, state_to,
  has_receipt, payment_state, charge_state, report, receipt
from seed_purchases p join seed_steps s using (course);
create index on seed_events (sequence);
create index on seed_events (nr);
analyze seed_purchases, seed_events;

insert into quotes (quote_key, principal_key, account_key, service_key, contract_version, terms_version, pay_seconds,
  execution_seconds, review_seconds, state,
  price_microcents, max_price_microcents, grant_digest, input_digest, input, evidence, planned_checks, forecast, digest, created_at,
  expires_at, input_deleted_at)
select quote_key, principal_key, account_key, service_key, contract_version, terms_version, 86400, 1800, 259200,
  case when course = 'quoted' then 'open' else 'authorized' end, price, price,
  'sha256:' || pg_temp.seed_hash(grant_key), 'sha256:' || pg_temp.seed_hash('input' || nr),
  null, evidence, planned_checks, forecast, 'sha256:' || pg_temp.seed_hash('quote' || nr), created_at,
  created_at + interval '30 minutes', least(created_at + interval '30 days', now)
from seed_purchases, seed_terms;

insert into jobs (job_key, quote_key, principal_key, account_key, grant_key, grant_digest, state, payment_state, charge_state,
  review_state, price_microcents, reserved_microcents, authorized_on, created_at, updated_at, pay_by, collected_at,
  deliver_by, delivered_at, review_by, finalized_at, fence, lease_until, tries, stage, percent, report_digest, failure,
  waived_because, last_rail, last_verdict, facet)
select job_key, quote_key, principal_key, account_key, grant_key, 'sha256:' || pg_temp.seed_hash(grant_key), state_to, stands.payment,
  case when state_to in ('awaiting_payment', 'canceled', 'failed') then 'none' else charge_of_state end, stands.review,
  price, case when course in ('lapsed', 'refunded', 'reversed') then 0 else price end,
  (authorized_at at time zone 'UTC')::date, authorized_at, updated_at, authorized_at + interval '1 day',
  collected_at, collected_at + interval '30 minutes', delivered_at, delivered_at + interval '3 days',
  case when state_to in ('accepted', 'waived', 'failed', 'canceled') then ended_at end,
  case when delivered_at is null then 0 else 1 end,
  case when course in ('running', 'rechecking') then now + interval '1 day' end, case when course = 'running' then 1 else 0 end,
  case state_to when 'awaiting_payment' then 'awaiting_payment' else state_to end,
  case when delivered_at is null then 0 else 100 end,
  case when report > 0 then report_digests[1 + p.verdict] end,
  case when course = 'failed' then 'The report was not delivered in time.' end,
  case when state_to = 'waived' then 'second_dispute' end, stands.rail, stands.verdict,
  job_facet(state_to, stands.payment, stands.review, stands.rail, stands.verdict)
from seed_purchases p, seed_terms, lateral (
  select max(at) filter (where action = 'authorize') as authorized_at, max(at) as updated_at,
    max(at) filter (where action = 'collect') as collected_at,
    max(at) filter (where action in ('deliver', 'redeliver')) as delivered_at,
    max(at) filter (where state_from <> state_to) as ended_at, max(report) as report,
    (array_agg(state_to order by sequence desc))[1] as state_to,
    (array_agg(payment_state order by sequence desc))[1] as payment_state,
    (array_agg(charge_state order by sequence desc) filter (where charge_state <> '-'))[1] as charge_of_state
  from seed_events e where e.nr = p.nr) e,
lateral (select case when course in ('unpaid', 'lapsed') then 'none'
    when course = 'paying' then case when nr % 200 = 93 then 'unknown' else 'processing' end else payment_state end as payment,
  case state_to when 'accepted' then 'accepted' when 'delivered' then 'open' when 'redelivered' then 'open'
    when 'rechecking' then 'disputed' when 'waived' then 'disputed' else 'not_open' end as review,
  case when course in ('unpaid', 'lapsed') then null when is_card then 'card' else 'x402' end as rail,
  case when report > 0 then report_verdicts[1 + p.verdict] end as verdict) stands
where course <> 'quoted';

insert into unpaid_content (quote_key, principal_key, origin, bytes)
select quote_key, principal_key, '192.0.2.0/24', 1024 from seed_purchases
where has_content and course in ('quoted', 'unpaid', 'paying');

-- Money ------------------------------------------------------------------------------------------------------------

create temp table seed_payments as
select p.*, c.at as collected_at from seed_purchases p join seed_events c on c.nr = p.nr and c.action = 'collect';
alter table seed_payments add primary key (nr);

insert into payments (payment_key, job_key, rail, method, state, amount_microcents, failure, created_at, lease_until,
  decided_at, reversed_at)
select payment_key, job_key, case when is_card then 'card' else 'x402' end,
  case when not is_card then 'x402' when nr % 2 = 0 then 'card_saved' else 'card_checkout' end, 'collected', price, null,
  collected_at - interval '1 s', collected_at,
  collected_at, case when course = 'reversed' then collected_at + interval '2 h' - interval '2 minutes' end
from seed_payments, seed_terms
union all
select payment_key, job_key, 'x402', 'x402', case when nr % 200 = 93 then 'unknown' else 'settling' end, price, null,
  created_at + interval '90 s', created_at + interval '100 s', null, null
from seed_purchases, seed_terms where course = 'paying'
union all
select pg_temp.seed_key('pay', 'failed', nr), job_key, 'x402', 'x402', 'failed', price,
  'The authorization can no longer pay.', created_at + interval '70 s', created_at + interval '80 s',
  created_at + interval '80 s', null
from seed_payments, seed_terms where nr % 20 = 0;

insert into x402_transfers (payment_key, network, asset, payer, pay_to, nonce, valid_after, valid_before, signature,
  seen_block)
select payment_key, network, asset, payer, pay_to, nonce, to_timestamp(0), created_at + interval '200 s', null, block - 1
from seed_payments, seed_terms where not is_card
union all
select payment_key, network, asset, payer, pay_to, nonce, to_timestamp(0), created_at + interval '200 s',
  '0x' || repeat('ab', 65), block - 1
from seed_purchases, seed_terms where course = 'paying'
union all
select pg_temp.seed_key('pay', 'failed', nr), network, asset, payer, pay_to, '0x' || pg_temp.seed_hash('failed' || nr),
  to_timestamp(0), created_at + interval '75 s', null, block - 1
from seed_payments, seed_terms where nr % 20 = 0;

insert into chain_transfers (network, transaction, position, asset, sender, recipient, amount_microcents, nonce,
  refund_nonce, block_number, block_hash, log_index, use, payment_key, seen_at, removed_at, moves)
select network, transaction, 1, asset, payer, pay_to, price, nonce, refund_nonce, block,
  '0x' || pg_temp.seed_hash('block' || block), 1, 'payment', payment_key, collected_at,
  case when course = 'reversed' then collected_at + interval '2 h' - interval '2 minutes' end,
  case when course = 'reversed' then 1 else 0 end
from seed_payments, seed_terms t where not is_card
union all
-- Sent by strangers, for nothing we know.
select networks[1], '0x' || pg_temp.seed_hash('stray' || nr), 1, asset, '0x' || substr(pg_temp.seed_hash('stranger' || nr), 1, 40),
  pay_to, price / 2, null, '0x' || pg_temp.seed_hash('stray return' || nr), nr, '0x' || pg_temp.seed_hash('block' || nr), 2,
  'unmatched', null, now - nr * interval '1 hour', null, 0
from seed_terms t, generate_series(1, strays) nr;

-- By card: on the provider's page, or with a saved card.
insert into card_customers (account_key, customer_id, created_at)
select account_key, pg_temp.seed_key('cus', 'customer', nr), joined_at from seed_buyers where is_agent;
insert into saved_cards (card_key, account_key, customer_id, method_id, brand, last4, exp_month, exp_year, saved_at)
select pg_temp.seed_key('card', 'card', nr), account_key, pg_temp.seed_key('cus', 'customer', nr),
  pg_temp.seed_key('pm', 'method', nr), 'visa', lpad((nr % 10000)::text, 4, '0'), 1 + nr % 12, 2030, joined_at
from seed_buyers where is_agent;
insert into card_payments (payment_key, idempotency_key, customer_id, card_key, intent_id, session_asked_at,
  session_expires_at, session_id, expires_at)
select payment_key, 'seed-' || nr, customer_id, case when nr % 2 = 0 then card_key end, intent_id,
  case when nr % 2 = 1 then created_at + interval '61 s' end, case when nr % 2 = 1 then created_at + interval '1 h' end,
  case when nr % 2 = 1 then pg_temp.seed_key('cs', 'session', nr) end, created_at + interval '1 day'
from seed_payments join saved_cards using (account_key) where is_card;
insert into card_uses (card_key, principal_key, payment_key, at)
select distinct on (card_key, principal_key) card_key, principal_key, payment_key, collected_at
from seed_payments join saved_cards using (account_key) where is_card and nr % 2 = 0
order by card_key, principal_key, collected_at;
insert into card_charges (intent_id, payment_key, charge_id, amount_microcents, fee_microcents, use, seen_at)
select intent_id, payment_key, pg_temp.seed_key('ch', 'charge', nr), price, price / 20, 'payment', collected_at
from seed_payments, seed_terms where is_card;
insert into card_disputes (dispute_id, payment_key, intent_id, job_payment_state, opened_at, told_at,
  withdrawn_microcents)
select pg_temp.seed_key('dp', 'dispute', nr), payment_key, intent_id, 'collected', created_at + interval '2 h',
  created_at + interval '2 h', price
from seed_payments, seed_terms where course = 'disputed';
insert into card_events (event_id, type, object_id, created_at, received_at, handled_at, tries, next_try_at)
select pg_temp.seed_key('evt', 'event', nr), case when nr % 2 = 1 then 'checkout.session.completed'
    else 'payment_intent.succeeded' end, case when nr % 2 = 1 then pg_temp.seed_key('cs', 'session', nr) else intent_id end,
  collected_at - interval '1 s', collected_at, case when nr > 20 then collected_at end, case when nr > 20 then 0 else 3 end,
  collected_at
from seed_payments where is_card
union all
select pg_temp.seed_key('evt', 'dispute', nr), 'charge.dispute.created', pg_temp.seed_key('dp', 'dispute', nr),
  created_at + interval '2 h', created_at + interval '2 h', created_at + interval '2 h', 0, created_at + interval '2 h'
from seed_payments where course = 'disputed';
insert into card_searches (list, searched_to, searched_at) select 'events', now, now from seed_terms;
insert into reconciliation_differences (book, kind, object_id, ours, theirs, first_seen_at, last_seen_at, gone_at)
select 'card', 'charge', pg_temp.seed_key('ch', 'foreign', nr), null, '5.00 USD', now - nr * interval '1 day', now, now
from seed_terms, generate_series(1, strays) nr;

insert into refunds (refund_key, payment_key, job_key, network, arrival_transaction, arrival_position, intent_id,
  provider_refund_id, amount_microcents, reason, state, tries, next_try_at, created_at, decided_at, failure)
select pg_temp.seed_key('refund', 'refund', nr), payment_key, job_key, case when not is_card then network end,
  case when not is_card then transaction end, case when not is_card then 1 end, case when is_card then intent_id end,
  case when is_card and course = 'refunded' then pg_temp.seed_key('re', 'sent', nr) end, price, 'second_dispute',
  course, 1, created_at + interval '1 h', created_at + interval '1 h',
  case when course <> 'refund_pending' then created_at + interval '2 h' end,
  case when course = 'refund_failed' then 'The chain refused it.' end
from seed_payments, seed_terms where course in ('refunded', 'refund_pending', 'refund_failed');

insert into chain_transfers (network, transaction, position, asset, sender, recipient, amount_microcents, nonce,
  block_number, block_hash, log_index, use, refund_key, seen_at)
select network, '0x' || pg_temp.seed_hash('refund' || nr), 1, asset, pay_to, payer, price, refund_nonce, block,
  '0x' || pg_temp.seed_hash('block' || block), 3, 'refund', pg_temp.seed_key('refund', 'refund', nr),
  created_at + interval '2 h'
from seed_payments, seed_terms where course = 'refunded' and not is_card;

insert into reversals (payment_key, number, job_payment_state, job_ended, room_microcents, books_account, reversed_at)
select payment_key, 1, 'collected', false, price, 'expense:reversals', created_at + interval '2 h'
from seed_payments, seed_terms where course = 'reversed';
insert into purchase_blocks (block_key, payer, cause, payment_key, created_at, lifted_at, lifted_by, lifted_because)
select pg_temp.seed_key('block', 'block', nr), payer, 'payment_reversed', payment_key, created_at + interval '2 h',
  case when nr % 2 = 0 then now end, case when nr % 2 = 0 then 'operator' end, case when nr % 2 = 0 then 'Settled.' end
from seed_payments, seed_terms where course = 'reversed';
insert into purchase_blocks (block_key, account_key, cause, payment_key, created_at)
select pg_temp.seed_key('block', 'block', nr), account_key, 'card_dispute', payment_key, created_at + interval '2 h'
from seed_payments where course = 'disputed';

do $$
declare one date;
begin
  for one in select distinct month_of(created_at) from jobs loop
    if to_regclass('ledger_transfers_' || to_char(one, 'YYYY_MM')) is null then perform make_ledger_month(one); end if;
  end loop;
end $$;
insert into ledger_transfers (event_key, event, job_key, principal_key, debit_account, credit_account, amount_microcents,
  currency, at, month)
select p.*, coalesce(month_of(j.created_at), '-infinity') from (
select 'arrived:' || network || ':' || transaction || ':1', 'arrived', null, null, 'asset:x402:' || network,
  'liability:unmatched', amount_microcents, 'USD', seen_at from chain_transfers where refund_nonce is not null
union all
select 'left:' || network || ':' || transaction || ':1', 'left', null, null, 'suspense:outgoing', 'asset:x402:' || network,
  amount_microcents, 'USD', seen_at from chain_transfers where refund_nonce is null
union all
select 'removed:' || network || ':' || transaction || ':1:1', 'removed', null, null, 'suspense:reorganised',
  'asset:x402:' || network, amount_microcents, 'USD', removed_at from chain_transfers where removed_at is not null
union all
select 'charged:' || intent_id, 'charged', null, null, 'asset:card', 'liability:unmatched', amount_microcents, 'USD', seen_at
from card_charges
union all
select 'charge_fee:' || intent_id, 'charge_fee', null, null, 'expense:card_fees', 'asset:card', fee_microcents, 'USD',
  seen_at from card_charges
union all
select 'sent_to_card:' || provider_refund_id, 'sent_to_card', null, null, 'suspense:outgoing', 'asset:card', amount_microcents,
  'USD', decided_at from refunds where provider_refund_id is not null
union all
select 'contested:' || dispute_id || ':' || withdrawn_microcents, 'contested', null, null, 'suspense:card_disputes',
  'asset:card', withdrawn_microcents, 'USD', opened_at from card_disputes
union all
select posted.event || ':' || key, posted.event, job_key, principal_key, debit, credit, price, 'USD', e.at
from seed_payments p join seed_events e using (nr, job_key, principal_key)
join (values
  ('collect', 'collected', 'liability:unmatched', 'liability:held'),
  ('accept', 'accepted', 'liability:held', 'revenue:work_check'),
  ('fail', 'credited', 'liability:held', 'liability:wallet_credit'),
  ('cancel', 'credited', 'liability:held', 'liability:wallet_credit'),
  ('dispute_again', 'refund_owed', 'liability:held', 'liability:refunds'),
  ('refunded', 'refunded', 'liability:refunds', 'suspense:outgoing'),
  ('reversed', 'reversed', 'expense:reversals', 'suspense:reorganised')
) posted (action, event, debit, credit) using (action), seed_terms,
lateral (select case posted.event when 'credited' then job_key when 'refunded' then pg_temp.seed_key('refund', 'refund', nr)
  when 'reversed' then payment_key || ':1' else payment_key end as key) keyed
) p (event_key, event, job_key, principal_key, debit_account, credit_account, amount_microcents, currency, at)
left join jobs j using (job_key);
insert into job_holdings (job_key, held_microcents, owed_microcents, earned_microcents)
select job_key, sum(put_into('liability:held', debit_account, credit_account, amount_microcents)),
  sum(put_into('liability:refunds', debit_account, credit_account, amount_microcents)),
  sum(put_into('revenue:work_check', debit_account, credit_account, amount_microcents))
from ledger_transfers where job_key is not null group by job_key;

-- This transaction posted all of it, and closes it: later postings add to that.
insert into ledger_closings (account, to_transaction, closed_at, debited_microcents, credited_microcents, entries)
select account, transaction_number() + 1, max(now), sum(debited), sum(credited), count(*) from (
  select debit_account as account, amount_microcents as debited, 0 as credited from ledger_transfers
  union all select credit_account, 0, amount_microcents from ledger_transfers) sides, seed_terms
group by account;
insert into card_searches (list, searched_to, searched_at, balance_microcents, ledger_microcents)
select 'books', now, now, debited_microcents - credited_microcents, debited_microcents - credited_microcents
from seed_terms, ledger_closings where account = 'asset:card';

insert into wallet_credits (principal_key, balance_microcents)
select principal_key, sum(amount_microcents) from ledger_transfers where event = 'credited' group by principal_key;
insert into grant_usage (grant_key, day, used_microcents)
select grant_key, authorized_on, sum(reserved_microcents) from jobs group by grant_key, authorized_on;
insert into searched_chains (network, address, opened_at, searched_to, head, balance_microcents, searched_at)
select chain, pay_to, 0, n + 10, n + 12, coalesce((select sum(case when refund_nonce is null then -amount_microcents
  else amount_microcents end) from chain_transfers c where c.network = chain and removed_at is null), 0), now
from seed_terms, unnest(networks) chain;

-- What was said and signed -----------------------------------------------------------------------------------------

do $$
declare one date;
begin
  for one in select distinct month_of(created_at) from jobs loop
    if to_regclass('job_texts_' || to_char(one, 'YYYY_MM')) is null then perform make_text_month(one); end if;
  end loop;
end $$;
insert into job_texts (job_key, kind, number, body, at, month)
select job_key, 'reports', report, report_bodies[1 + verdict], at, month_of(j.created_at)
from seed_events join seed_purchases using (nr, job_key) join jobs j using (job_key), seed_terms
where action in ('deliver', 'redeliver');
insert into reports (job_key, number, digest, delivered_at, verdict)
select job_key, report, report_digests[1 + verdict], at, report_verdicts[1 + verdict]
from seed_events join seed_purchases using (nr, job_key), seed_terms where action in ('deliver', 'redeliver');

insert into reviews (review_key, job_key, report_number, decision, reviewer, reason, at)
select pg_temp.seed_key('review', action, nr), job_key, report, case when action = 'accept' then 'accept' else 'dispute' end,
  actor, case when action <> 'accept' then 'citation_invalid' end, at
from seed_events where action in ('accept', 'dispute', 'dispute_again');

do $$
declare one date;
begin
  for one in select distinct week_of(created_at) from seed_purchases union select week_of(collected_at) from seed_payments loop
    if to_regclass(answers_of_week(one)) is null then perform make_answer_week(one); end if;
  end loop;
end $$;
insert into idempotency_claims (scope, operation, path_keys, idempotency_key, fingerprint, status, created_at, answered_at,
  repeats, repeated_at)
select principal_key, 'check_work', '', 'seed-' || nr, 'sha256:' || pg_temp.seed_hash('check' || nr), 201, created_at,
  created_at, (nr % 50 = 0)::int, case when nr % 50 = 0 then created_at + interval '2 seconds' end from seed_purchases
union all
select principal_key, 'pay', job_key, 'seed-' || nr, 'sha256:' || pg_temp.seed_hash('pay' || nr), 200, collected_at,
  collected_at, 0, null from seed_payments;
insert into idempotency_answers (week, number, body, headers)
select week, number, json_build_object('quote_key', quote_key)::text, '{}'::jsonb
from idempotency_claims c join seed_purchases s on c.idempotency_key = 'seed-' || s.nr where operation = 'check_work'
union all
select week, number, json_build_object('job_key', path_keys)::text, '{}'::jsonb from idempotency_claims
where operation = 'pay' and idempotency_key like 'seed-%';

-- Each row of a chain names the one before, so all chains are written link by link.
do $$
declare link int; one date;
begin
  for one in select distinct month_of(created_at) from seed_purchases loop
    if to_regclass('audit_rows_' || to_char(one, 'YYYY_MM')) is null then perform make_audit_month(one); end if;
  end loop;
  create temp table seed_last (nr bigint, hash text);
  for link in 1 .. (select max(sequence) from seed_steps) loop
    create temp table seed_next as
    select e.nr, l.hash as previous, encode(sha256(convert_to(concat_ws(E'\x1f', quote_key, link, extract(epoch from at),
      actor, action, state_from, state_to, l.hash), 'UTF8')), 'hex') as hash
    from seed_events e left join seed_last l using (nr) where e.sequence = link;
    insert into audit_rows (purchase_key, sequence, at, actor, action, state_from, state_to, previous_hash, hash,
      principal_key, transaction, month)
    select quote_key, link, at, actor, action, state_from, state_to, previous, hash, principal_key, 0,
      month_of(created_at)
    from seed_events join seed_next using (nr) join seed_purchases using (nr, quote_key, principal_key) where sequence = link;
    drop table seed_last;
    alter table seed_next rename to seed_last;
  end loop;
  drop table seed_last;
end $$;

create temp table seed_receipts as
select e.nr, e.job_key, receipt as number, at, e.payment_state, e.charge_state, e.report, e.state_to,
  p.collected_at, 'sha256:' || pg_temp.seed_hash('quote' || nr) as quote_digest,
  'sha256:' || pg_temp.seed_hash(p.grant_key) as grant_digest, 'sha256:' || pg_temp.seed_hash('input' || nr) as input_digest, case when is_card then pg_temp.seed_key('ch', 'charge', e.nr)
    else p.network || ':' || p.transaction end as reference,
  case when e.payment_state <> 'refunded' then null when is_card then pg_temp.seed_key('re', 'sent', nr)
    else p.network || ':0x' || pg_temp.seed_hash('refund' || nr) end as refund_reference, is_card, e.nr % 2 = 0 as by_saved,
  case when e.report > 0 then report_digests[1 + verdict] end as report_digest,
  p.created_at + interval '1 h' as ended_at
from seed_events e join seed_payments p using (nr), seed_terms where has_receipt;
create index on seed_receipts (number);
analyze seed_receipts;

do $$
declare link int;
begin
  create temp table seed_last (nr bigint, hash text);
  for link in 1 .. (select max(receipt) from seed_steps) loop
    create temp table seed_next as
    select nr, job_key, at, unsigned, 'sha256:' || encode(sha256(convert_to(unsigned, 'UTF8')), 'hex') as hash
    from seed_receipts r left join (select nr, hash from seed_last) l using (nr), seed_terms t, lateral (select json_build_object(
      'receipt_version', receipt_version, 'receipt_key', pg_temp.seed_key('rcpt', 'receipt' || link || '-', nr),
      'job_key', job_key, 'issued_at', pg_temp.wire(at), 'sequence', link, 'previous_receipt_digest', l.hash,
      'quote_digest', quote_digest, 'grant_digest', grant_digest, 'input_digest', input_digest, 'report_digest', report_digest,
      'collection', json_build_object('state', payment_state, 'rail', case when is_card then 'card' else 'x402' end,
        'method', case when not is_card then 'x402' when by_saved then 'card_saved' else 'card_checkout' end,
        'amount_microcents', price,
        'currency', 'USD', 'collected_at', pg_temp.wire(collected_at), 'reference', reference),
      'charge', json_build_object('state', charge_state,
        'amount_microcents', case when charge_state in ('held', 'final') then price else 0 end,
        'finalized_at', case when state_to in ('accepted', 'waived', 'failed', 'canceled') then pg_temp.wire(ended_at) end,
        'basis', 'Seeded.'),
      'remedy', jsonb_build_object('kind', case when payment_state like 'refund%' then 'refund'
          when payment_state = 'credited' then 'wallet_credit' when payment_state = 'reversed' then 'reversal' else 'none' end,
        'state', case when payment_state in ('collected', 'disputed') then 'none' else payment_state end,
        'amount_microcents', case when payment_state in ('collected', 'disputed') then 0 else price end, 'reason', null, 'at', null)
        || case when refund_reference is null then '{}' else jsonb_build_object('reference', refund_reference) end,
      'business_authority', 'advisory_only', 'receipt_certifies_work', false, 'terms_version', terms_version
    )::text as unsigned) made
    where number = link;
    insert into job_texts (job_key, kind, number, body, at, month)
    select job_key, 'receipts', link, left(unsigned, -1) || ', "signature": ' || signature || '}', at,
      month_of(j.created_at) from seed_next join jobs j using (job_key), seed_terms;
    insert into receipts (receipt_key, job_key, sequence, digest, issued_at, collected_microcents,
      charged_microcents, given_back_microcents)
    select pg_temp.seed_key('rcpt', 'receipt' || link || '-', nr), job_key, link, hash, at,
      (unsigned::json #>> '{collection,amount_microcents}')::bigint, (unsigned::json #>> '{charge,amount_microcents}')::bigint,
      (unsigned::json #>> '{remedy,amount_microcents}')::bigint from seed_next, seed_terms;
    drop table seed_last;
    alter table seed_next rename to seed_last;
  end loop;
  drop table seed_last;
end $$;
insert into receipt_numbers (job_key, account_key, issued_at, seller, year, number, details)
select job_key, account_key, r.issued_at, 'Seed Ltd', extract(year from r.issued_at at time zone 'UTC'),
  row_number() over (partition by extract(year from r.issued_at at time zone 'UTC') order by r.issued_at, job_key),
  '{"name": "Seed Ltd", "email": "seller@seed.example", "address": null, "tax_id": null, "tax_hundredths": 0,
    "untaxed_because": "No tax is charged."}'
from receipts r join jobs using (job_key) where r.sequence = 1;
insert into incidents (incident_key, title, impact, started_at, resolved_at)
select pg_temp.seed_key('incident', 'incident', 1), 'Card payments failed', '{"card": "down"}', now - interval '20 days',
  now - interval '20 days' + interval '40 minutes' from seed_terms;
insert into incident_updates (incident_key, number, at, text)
select pg_temp.seed_key('incident', 'incident', 1), number, now - interval '20 days' + number * interval '20 minutes', text
from seed_terms, (values (1, 'The card provider answers with errors.'), (2, 'It has mended them.')) told (number, text);
