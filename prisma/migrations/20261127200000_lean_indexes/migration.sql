-- Indexes that purchases of all time share, with less in each entry. Rows of one instant are put in order as they are
-- read, so their keys need not stand in the index.
DROP INDEX ledger_transfers_debit_account_at_event_key_idx, ledger_transfers_credit_account_at_event_key_idx;
CREATE INDEX ledger_transfers_debit_account_at_idx ON ledger_transfers (debit_account, at DESC);
CREATE INDEX ledger_transfers_credit_account_at_idx ON ledger_transfers (credit_account, at DESC);
DROP INDEX jobs_created_at_job_key_idx, jobs_state_created_at_job_key_idx, jobs_facet_created_at_job_key_idx;
CREATE INDEX jobs_created_at_idx ON jobs (created_at DESC);
CREATE INDEX jobs_state_created_at_idx ON jobs (state, created_at DESC);
CREATE INDEX jobs_facet_created_at_idx ON jobs (facet, created_at DESC);

-- The few networks and assets are skipped through in the unique indexes that begin with them (PostgreSQL 18).
DROP INDEX chain_transfers_transaction_idx, x402_transfers_payer_idx;

-- A nonce is only ever looked for whole.
DROP INDEX chain_transfers_network_nonce_idx, chain_transfers_network_refund_nonce_idx;
CREATE INDEX chain_transfers_nonce_idx ON chain_transfers USING hash (nonce);
CREATE INDEX chain_transfers_refund_nonce_idx ON chain_transfers USING hash (refund_nonce);

-- Reports are read by their time only while they are here.
DROP INDEX reports_delivered_at_idx;
CREATE INDEX reports_here_idx ON reports (delivered_at DESC) WHERE body IS NOT NULL;
