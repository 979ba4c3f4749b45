-- no transaction
-- What an account's checks came to nothing for, of which a day bears a few (server/purchases/quote/failed-often.ts).
CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_account_failed_idx ON jobs (account_key, finalized_at) WHERE state = 'failed';
