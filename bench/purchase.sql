-- One purchase by hand: the rows, reads and transactions of the service, one function a transaction, and nothing else.
-- `sample` holds the texts of a real purchase; keys are put in by the caller.

create table bench_sample as
select q.input, q.evidence, q.planned_checks, q.forecast, q.input_digest, q.digest as quote_digest, text_of(j.job_key, 'reports', r.number) as report,
  r.digest as report_digest, j.price_microcents as price,
  (select array_agg(body order by number) from job_texts t where t.job_key = j.job_key and kind = 'receipts') as receipts,
  (select array_agg(digest order by sequence) from receipts where job_key = j.job_key) as receipt_digests,
  (select body from idempotency_requests where operation = 'check_work' and status = 201 limit 1) as quote_answer,
  (select body from idempotency_requests where operation = 'pay' and status = 200 limit 1) as pay_answer
from jobs j join quotes q using (quote_key) join reports r using (job_key) where j.state = 'accepted' limit 1;

create function bench_recall(who text, what text, at text, k text) returns text language sql as $$
  select fingerprint from idempotency_claims
  where scope = who and operation = what and path_keys = at and idempotency_key = k $$;

create function bench_remember(who text, what text, at text, k text, code int, answer text) returns void language sql as $$
  with answered as (
    update idempotency_claims set status = code, answered_at = now()
    where scope = who and operation = what and path_keys = at and idempotency_key = k returning week, number)
  insert into idempotency_answers select week, number, answer, '{}' from answered $$;

create function bench_quote(who text, account text, quote text, k text) returns void language plpgsql as $$
declare s bench_sample; begin
  select * into s from bench_sample;
  insert into idempotency_claims (scope, operation, path_keys, idempotency_key, fingerprint, created_at)
  values (who, 'check_work', '', k, s.input_digest, now());
  insert into quotes (quote_key, principal_key, account_key, service_key, contract_version, terms_version, pay_seconds,
    execution_seconds, review_seconds, state, price_microcents, max_price_microcents, grant_digest, input_digest, input,
    evidence, planned_checks, forecast, digest, created_at, expires_at)
  values (quote, who, account, 'svc_work_check', 'svc.work_check.v1', '2026-07-21', 86400, 1800, 259200, 'open', s.price, s.price,
    (select grant_digest from grants where principal_key = who),
    s.input_digest, s.input, s.evidence, s.planned_checks, s.forecast, s.quote_digest, now(), now() + '30 min');
  insert into audit_rows (month, purchase_key, at, actor, action, state_to) values (audit_month(quote), quote, now(), who, 'quote', 'open');
  perform bench_remember(who, 'check_work', '', k, 201, s.quote_answer);
end $$;

create function bench_authorize(who text, account text, granted text, quote text, job text) returns json language plpgsql as $$
declare cost bigint; begin
  update quotes set state = 'authorized' where quote_key = quote and principal_key = who and state = 'open'
    and expires_at > now() returning price_microcents into strict cost;
  insert into grant_usage as u (grant_key, day, used_microcents)
  select grant_key, current_date, cost from grants where grant_key = granted and cost <= daily_limit_microcents
  on conflict (grant_key, day) do update set used_microcents = u.used_microcents + excluded.used_microcents
  where u.used_microcents + excluded.used_microcents
    <= (select daily_limit_microcents from grants where grant_key = granted);
  insert into jobs (job_key, quote_key, principal_key, account_key, grant_key, grant_digest, state, payment_state, charge_state,
    review_state, price_microcents, reserved_microcents, authorized_on, created_at, updated_at, pay_by, stage)
  values (job, quote, who, account, granted, (select grant_digest from grants where grant_key = granted),
    'awaiting_payment', 'none', 'none', 'not_open', cost, cost, current_date, now(),
    now(), now() + '1 day', 'awaiting_payment');
  insert into audit_rows (month, purchase_key, at, actor, action, state_from, state_to)
  values (audit_month(quote), quote, now(), who, 'authorize', 'open', 'awaiting_payment');
  return bench_job(job);
end $$;

create function bench_claim_payment(who text, job text, k text) returns void language sql as $$
  insert into idempotency_claims (scope, operation, path_keys, idempotency_key, fingerprint, created_at)
  select who, 'pay', job, k, input_digest, now() from bench_sample $$;

create function bench_intent(who text, job text, payment text, signed text) returns void language plpgsql as $$ begin
  update jobs set payment_state = 'processing', last_rail = 'x402', updated_at = now()
  where job_key = job and state = 'awaiting_payment' and payment_state = 'none';
  insert into payments (payment_key, job_key, rail, method, state, amount_microcents, created_at, lease_until)
  select payment, job, 'x402', 'x402', 'settling', price, now(), now() from bench_sample;
  insert into x402_transfers (payment_key, network, asset, payer, pay_to, nonce, valid_after, valid_before, signature,
    seen_block)
  values (payment, 'eip155:84532', '0x036c', who, '0x3c44', signed, 'epoch', now() + '2 min', repeat('0', 132), 1);
end $$;

-- The same by a card that the account keeps.
create function bench_card(account text) returns text language sql as $$
  select card_key from saved_cards where account_key = account and removed_at is null order by saved_at desc limit 1 $$;

create function bench_card_intent(job text, payment text, k text, card text) returns void language plpgsql as $$ begin
  update jobs set payment_state = 'processing', last_rail = 'card', updated_at = now()
  where job_key = job and state = 'awaiting_payment' and payment_state = 'none';
  insert into payments (payment_key, job_key, rail, method, state, amount_microcents, created_at, lease_until)
  select payment, job, 'card', 'card_saved', 'settling', price, now(), now() from bench_sample;
  insert into card_payments (payment_key, idempotency_key, customer_id, card_key, expires_at)
  select payment, k, customer_id, card_key, now() + '40 min' from saved_cards where card_key = card;
end $$;

create function bench_card_note(payment text) returns void language sql as $$
  update card_payments set intent_id = 'pi_' || payment where payment_key = payment $$;

create function bench_receipt(job text, named text, nr int) returns void language sql as $$
  insert into job_texts (job_key, kind, number, body, at, month)
  select job, 'receipts', nr, coalesce(replace(s.receipts[nr], s.receipt_digests[nr - 1], last.digest), s.receipts[nr]),
    now(), job_month(job)
  from bench_sample s left join lateral (
    select digest from receipts where job_key = job order by sequence desc limit 1) last on true;
  insert into receipts (receipt_key, job_key, sequence, digest, issued_at)
  select named, job, nr, s.receipt_digests[nr], now() from bench_sample s $$;

create function bench_collect(who text, quote text, job text, payment text, k text, message text) returns json language plpgsql as $$
declare cost bigint; hash text := '0x' || payment; begin
  select price into cost from bench_sample;
  insert into chain_transfers (network, transaction, position, asset, sender, recipient, amount_microcents, nonce,
    refund_nonce, block_number, block_hash, log_index, use, seen_at)
  select network, hash, 1, asset, payer, pay_to, cost, nonce, hash, 1, hash, 1, 'unmatched', now()
  from x402_transfers where payment_key = payment;
  insert into ledger_transfers (event_key, event, debit_account, credit_account, amount_microcents, currency, at)
  values ('arrived:' || hash, 'arrived', 'asset:x402:eip155:84532', 'liability:unmatched', cost, 'USD', now());
  update chain_transfers set use = 'payment', payment_key = payment
  where network = 'eip155:84532' and transaction = hash and position = 1 and use = 'unmatched';
  update payments set state = 'collected', decided_at = now() where payment_key = payment;
  update x402_transfers set watch_at = now() + '1 min' where payment_key = payment;
  return bench_collected(who, quote, job, payment, k, message);
end $$;

create function bench_card_collect(who text, quote text, job text, payment text, k text, message text) returns json language plpgsql as $$
declare cost bigint; intent text := 'pi_' || payment; begin
  select price into cost from bench_sample;
  insert into card_charges (intent_id, payment_key, charge_id, amount_microcents, fee_microcents, use, seen_at)
  values (intent, payment, 'ch_' || payment, cost, 45000000, 'payment', now());
  update payments set state = 'collected', decided_at = now() where payment_key = payment;
  insert into ledger_transfers (event_key, event, debit_account, credit_account, amount_microcents, currency, at)
  values ('charged:' || intent, 'charged', 'asset:card', 'liability:unmatched', cost, 'USD', now()),
    ('charge_fee:' || intent, 'charge_fee', 'expense:card_fees', 'asset:card', 45000000, 'USD', now());
  update card_payments set look_at = null where payment_key = payment;
  insert into card_uses (card_key, principal_key, payment_key, at)
  select card_key, who, payment, now() from card_payments where payment_key = payment
  on conflict (card_key, principal_key) do nothing;
  return bench_collected(who, quote, job, payment, k, message);
end $$;

-- What follows from a collection, over either rail.
create function bench_collected(who text, quote text, job text, payment text, k text, message text) returns json language plpgsql as $$
declare s bench_sample; answer json; begin
  select * into s from bench_sample;
  update jobs set state = 'queued', payment_state = 'collected', charge_state = 'held', collected_at = now(),
    deliver_by = now() + '30 min', stage = 'queued', updated_at = now() where job_key = job and state = 'awaiting_payment';
  insert into audit_rows (month, purchase_key, at, actor, action, state_from, state_to)
  values (audit_month(quote), quote, now(), 'system', 'collect', 'awaiting_payment', 'queued');
  insert into ledger_transfers (event_key, event, job_key, principal_key, debit_account, credit_account,
    amount_microcents, currency, at, month)
  values ('collected:' || payment, 'collected', job, who, 'liability:unmatched', 'liability:held', s.price, 'USD', now(),
    ledger_month(job));
  insert into pgboss.job (id, name, data) values (message::uuid, 'check', jsonb_build_object('job_key', job));
  perform bench_receipt(job, 'rcpt_1' || job, 1);
  answer := bench_job(job);
  perform bench_remember(who, 'pay', job, k, 200, s.pay_answer);
  return answer;
end $$;

-- The message that the service's own payment has queued, for those who do its work over SQL.
create index bench_messages on pgboss.job ((data ->> 'job_key'));
create function bench_message(bought text) returns text language sql as $$
  select id::text from pgboss.job where name = 'check' and data ->> 'job_key' = bought $$;

create function bench_take(quote text, job text, message text) returns text language plpgsql as $$
declare content text; begin
  update pgboss.job m set state = 'active', started_on = now() where m.name = 'check' and m.id = message::uuid;
  update jobs set state = 'running', fence = 1, lease_until = now() + '20 s', stage = 'reading', percent = 10,
    updated_at = now() where job_key = job and state = 'queued';
  insert into audit_rows (month, purchase_key, at, actor, action, state_from, state_to)
  values (audit_month(quote), quote, now(), 'worker', 'start', 'queued', 'running');
  select input into content from quotes where quote_key = quote;
  return content;
end $$;

create function bench_deliver(quote text, job text, message text) returns void language plpgsql as $$
declare s bench_sample; begin
  select * into s from bench_sample;
  update jobs set state = 'delivered', review_state = 'open', delivered_at = now(), review_by = now() + '3 days',
    report_digest = s.report_digest, last_verdict = 'revise', lease_until = null, stage = 'delivered', percent = 100, updated_at = now()
  where job_key = job and state = 'running' and fence = 1;
  insert into audit_rows (month, purchase_key, at, actor, action, state_from, state_to)
  values (audit_month(quote), quote, now(), 'worker', 'deliver', 'running', 'delivered');
  insert into job_texts (job_key, kind, number, body, at, month)
  values (job, 'reports', 1, s.report, now(), job_month(job));
  insert into reports (job_key, number, digest, delivered_at) values (job, 1, s.report_digest, now());
  perform bench_receipt(job, 'rcpt_2' || job, 2);
  update pgboss.job m set state = 'completed', completed_on = now() where m.name = 'check' and m.id = message::uuid;
end $$;

create function bench_accept(who text, quote text, job text) returns json language plpgsql as $$ begin
  update jobs set state = 'accepted', charge_state = 'final', review_state = 'accepted', finalized_at = now(),
    stage = 'accepted', updated_at = now() where job_key = job and state = 'delivered';
  insert into audit_rows (month, purchase_key, at, actor, action, state_from, state_to)
  values (audit_month(quote), quote, now(), who, 'accept', 'delivered', 'accepted');
  insert into reviews (review_key, job_key, report_number, decision, reviewer, at)
  values ('review_' || job, job, 1, 'accept', who, now());
  insert into ledger_transfers (event_key, event, job_key, principal_key, debit_account, credit_account,
    amount_microcents, currency, at, month)
  select 'accepted:' || job, 'accepted', job, who, 'liability:held', 'revenue:work_check', price, 'USD', now(),
    ledger_month(job)
  from bench_sample;
  perform bench_receipt(job, 'rcpt_3' || job, 3);
  return bench_job(job);
end $$;

create function bench_credential(hash text) returns text language sql as $$
  with who as (
    select * from credentials c join principals p using (principal_key) join grants g using (principal_key)
    where c.token_hash = hash and c.revoked_at is null and c.expires_at > now()),
  counted as (
    insert into rate_counts as counts (subject, limit_name, used, window_end)
    select principal_key, 'requests', 1, now() + '1 min' from who
    on conflict (subject, limit_name) do update set used = counts.used + 1 returning 1)
  select grant_key from who, counted $$;

create function bench_job(job text) returns json language sql as $$
  select row_to_json(x) from (select jobs.*, (select json_agg(json_build_object('at', at, 'event', action,
    'state', state_to) order by sequence) from audit_rows
      where purchase_key = jobs.quote_key and month = audit_month(jobs.quote_key)) as timeline
  from jobs where job_key = job) x $$;

create function bench_report(job text) returns text language sql as $$
  select text_of(job_key, 'reports', number) from reports where job_key = job order by number desc limit 1 $$;

-- The one read of a request to the plain server: its credential together with what it asks for.

create function bench_admit(hash text, what text, at text, k text) returns json language sql as $$
  select json_build_object('principal_key', principal_key, 'account_key', p.account_key, 'grant_key', g.grant_key,
    'known', i.body)
  from credentials c join principals p using (principal_key) join grants g using (principal_key)
  left join idempotency_requests i on scope = principal_key and operation = what and path_keys = at and idempotency_key = k
  where c.token_hash = hash and c.revoked_at is null and c.expires_at > now() $$;

create function bench_read_job(hash text, job text) returns json language sql as $$
  select bench_job(job) from credentials c join jobs j using (principal_key)
  where c.token_hash = hash and c.revoked_at is null and c.expires_at > now() and j.job_key = job $$;

create function bench_read_report(hash text, job text) returns text language sql as $$
  select bench_report(job) from credentials c join jobs j using (principal_key)
  where c.token_hash = hash and c.revoked_at is null and c.expires_at > now() and j.job_key = job $$;
