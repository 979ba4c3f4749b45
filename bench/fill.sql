-- Copies of one real purchase and of the principal who made it, set by set: 10,000 in seconds, 1,000,000 in minutes.
-- Triggers and foreign keys are off meanwhile, so the copies are as good as the original for everything but proof.

create table bench_principals (nr int primary key, principal_key text, account_key text, grant_key text, token_hash text);

-- Inserts what `source` selects into `into_table`, with the columns that `changed` names replaced by its expressions.
create function bench_copy(into_table regclass, source text, changed jsonb) returns void language plpgsql as $$
begin
  execute (
    select format('insert into %s (%s) select %s from %s', into_table, string_agg(format('%I', attname), ', '),
      string_agg(coalesce(changed ->> attname, format('t.%I', attname)), ', '), source)
    from pg_attribute where attrelid = into_table and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '');
end $$;

create function bench_fill_principals() returns void language plpgsql as $$
declare numbered text := '%I t cross join bench_principals p where p.nr > 0 and ';
begin
  set local session_replication_role = replica;
  perform bench_copy('accounts', format(numbered || 'true limit (select count(*) - 1 from bench_principals)', 'accounts'),
    '{"account_key": "p.account_key"}');
  perform bench_copy('principals', format(numbered || 't.principal_key = %L', 'principals', first.principal_key),
    '{"principal_key": "p.principal_key", "account_key": "p.account_key"}')
  from bench_principals first where nr = 0;
  perform bench_copy('grants', format(numbered || 't.grant_key = %L', 'grants', first.grant_key),
    '{"principal_key": "p.principal_key", "grant_key": "p.grant_key"}')
  from bench_principals first where nr = 0;
  perform bench_copy('credentials', format(numbered || 't.token_hash = %L', 'credentials', first.token_hash),
    '{"principal_key": "p.principal_key", "token_hash": "p.token_hash", "credential_key": "''cred_'' || md5(p.nr::text)"}')
  from bench_principals first where nr = 0;
end $$;

-- A card that each account keeps, and a grant that covers it.
create function bench_keep_cards() returns void language plpgsql as $$ begin
  insert into card_customers (account_key, customer_id, created_at)
  select account_key, 'cus_' || nr, now() from bench_principals;
  insert into saved_cards (card_key, account_key, customer_id, method_id, brand, last4, exp_month, exp_year, saved_at)
  select 'card_' || nr, account_key, 'cus_' || nr, 'pm_' || nr, 'visa', '4242', 12, 2040, now() from bench_principals;
  -- Its members have been told of each agent's first charge.
  insert into card_uses (card_key, principal_key, payment_key, at)
  select 'card_' || nr, principal_key, 'pay_first', now() from bench_principals;
  update grants set payment_methods = '{card_checkout,card_saved,x402}';
end $$;

-- `filled` more purchases of the first `buyers` principals; the input of nine in ten has been deleted, as retention
-- does. `batch` tells their keys from those of other calls.
create function bench_fill(filled int, batch text, buyers int) returns void language plpgsql as $$
declare
  many text := format('%%I t cross join lateral (select i, md5(%L || i) as key from generate_series(1, %s) i) n '
    'join bench_principals p on p.nr = mod(i, %s) where ', batch, filled, buyers);
  job text := (select job_key from jobs where state = 'accepted' limit 1);
  quote text := (select quote_key from jobs where state = 'accepted' limit 1);
  payment text := (select payment_key from payments where job_key = job);
  paid jsonb := '{"payment_key": "''pay_'' || key"}';
  whose jsonb := '{"principal_key": "p.principal_key", "account_key": "p.account_key", "grant_key": "p.grant_key"}';
  keys jsonb := '{"job_key": "''job_'' || key", "quote_key": "''quote_'' || key",
    "created_at": "t.created_at - i * interval ''1 second''", "at": "t.at - i * interval ''1 second''",
    "taken_at": "t.taken_at - i * interval ''1 second''", "delivered_at": "t.delivered_at - i * interval ''1 second''"}';
begin
  set local session_replication_role = replica;
  perform bench_copy('quotes', format(many || 't.quote_key = %L', 'quotes', quote), whose || keys || '{
    "input": "case when i % 10 = 0 then t.input end",
    "input_deleted_at": "case when i % 10 > 0 then t.created_at end"}');
  perform bench_copy('jobs', format(many || 't.job_key = %L', 'jobs', job), whose || keys);
  -- The chain never saw the copies: nobody is to look for them there, now or in blocks that were searched.
  perform bench_copy('payments', format(many || 't.job_key = %L', 'payments', job), keys || paid);
  perform bench_copy('x402_transfers', format(many || 't.payment_key = %L', 'x402_transfers', payment), paid
    || '{"payer": "p.principal_key", "nonce": "''0x'' || key || key", "watch_at": "null"}');
  perform bench_copy('chain_transfers', format(many || 't.payment_key = %L', 'chain_transfers', payment), paid
    || '{"sender": "p.principal_key", "nonce": "''0x'' || key || key", "transaction": "''0x'' || key || key",
      "refund_nonce": "''0x'' || md5(key) || key", "block_number": "1000000"}');
  perform bench_copy('reports', format(many || 't.job_key = %L', 'reports', job), keys);
  perform bench_copy('job_texts', format(many || 't.job_key = %L', 'job_texts', job), keys
    || '{"month": "job_month(''job_'' || key)"}');
  perform bench_copy('reviews', format(many || 't.job_key = %L', 'reviews', job), keys
    || '{"review_key": "''review_'' || key"}');
  perform bench_copy('receipts', format(many || 't.job_key = %L', 'receipts', job), keys
    || '{"receipt_key": "''rcpt_'' || key || t.sequence"}');
  perform bench_copy('ledger_transfers', format(many || 't.job_key = %L', 'ledger_transfers', job), whose || keys
    || '{"event_key": "t.event || '':'' || key", "month": "ledger_month(''job_'' || key)"}');
  perform bench_copy('job_holdings', format(many || 't.job_key = %L', 'job_holdings', job), keys);
  perform bench_copy('ledger_transfers', format(many || 't.event_key = %L', 'ledger_transfers', (
      select 'arrived:' || network || ':' || transaction || ':' || position from chain_transfers c
      where c.payment_key = payment)), '{"event_key": "t.event || '':'' || key"}');
  perform bench_copy('audit_rows', format(many || 't.purchase_key = %L', 'audit_rows', quote),
    '{"purchase_key": "''quote_'' || key", "month": "audit_month(''quote_'' || key)"}');
  perform bench_copy('idempotency_claims', format(many || 't.idempotency_key not like ''key_%%'' and (t.operation, t.path_keys) in ((''check_work'', ''''), (''pay'', %L))',
    'idempotency_claims', job), '{"scope": "p.principal_key", "idempotency_key": "''key_'' || key",
    "path_keys": "case when t.path_keys = '''' then '''' else ''job_'' || key end"}');
  insert into idempotency_answers (week, number, body, headers)
  select c.week, c.number, first.body, first.headers
  from idempotency_claims c join idempotency_requests first using (operation, status, answered_at)
  where first.body is not null and first.idempotency_key not like 'key_%' and not exists (
    select from idempotency_answers a where a.week = c.week and a.number = c.number);
end $$;
