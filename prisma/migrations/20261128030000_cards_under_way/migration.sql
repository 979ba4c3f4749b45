-- no transaction
-- What an account pays for by card now, of which there are a few at once (server/payments/card/under-way.ts).
CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_by_card_under_way_idx ON jobs (account_key)
  WHERE last_rail = 'card' AND state IN ('awaiting_payment', 'queued', 'running', 'delivered', 'rechecking', 'redelivered');
