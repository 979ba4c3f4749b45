-- CreateTable
CREATE TABLE "operator_views" (
    "view_key" TEXT NOT NULL,
    "operator" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "query" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "operator_views_pkey" PRIMARY KEY ("view_key")
);

-- CreateIndex
CREATE UNIQUE INDEX "operator_views_operator_name_key" ON "operator_views"("operator", "name");

-- CreateIndex
CREATE INDEX "jobs_state_created_at_job_key_idx" ON "jobs"("state", "created_at" DESC, "job_key" DESC);

-- CreateIndex
CREATE INDEX "jobs_payment_state_created_at_job_key_idx" ON "jobs"("payment_state", "created_at" DESC, "job_key" DESC);

-- CreateIndex
CREATE INDEX "reports_verdict_idx" ON "reports"("verdict");

-- CreateIndex
CREATE INDEX "payments_rail_idx" ON "payments"("rail");

-- CreateIndex
CREATE INDEX "card_events_object_id_idx" ON "card_events"("object_id");

-- CreateIndex
CREATE INDEX "reviews_at_idx" ON "reviews"("at");

-- What was posted since the last closing of the books is found by it, however much there is before.
DROP INDEX "ledger_transfers_transaction_idx";

-- CreateIndex
CREATE INDEX "ledger_transfers_transaction_idx" ON "ledger_transfers"("transaction");

-- What the language of the schema cannot say.

-- Names that are written alike are found by the trigrams that they share.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX principals_name_idx ON principals USING gin (lower(name) gin_trgm_ops);

-- An operator may give an accepted charge back, out of the revenue, and once.
CREATE OR REPLACE FUNCTION job_may_go(state_from text, state_to text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT (state_from, state_to) IN (
    ('awaiting_payment', 'queued'), ('awaiting_payment', 'canceled'),
    ('queued', 'running'), ('queued', 'failed'), ('queued', 'canceled'),
    ('running', 'running'), ('running', 'delivered'), ('running', 'failed'), ('running', 'canceled'),
    ('delivered', 'accepted'), ('delivered', 'rechecking'), ('delivered', 'waived'),
    ('rechecking', 'rechecking'), ('rechecking', 'redelivered'), ('rechecking', 'waived'),
    ('redelivered', 'accepted'), ('redelivered', 'waived'), ('accepted', 'waived'))
$$;
CREATE TRIGGER ledger_transfers_keep_revenue_covered AFTER INSERT ON ledger_transfers FOR EACH ROW
  WHEN (NEW.debit_account = 'revenue:work_check' AND NEW.job_key IS NOT NULL) EXECUTE FUNCTION keep_job_covered();
