-- CreateTable
CREATE TABLE "hourly_figures" (
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "figure" TEXT NOT NULL,
    "rail" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "count" BIGINT NOT NULL,
    "amount_microcents" BIGINT NOT NULL,

    CONSTRAINT "hourly_figures_pkey" PRIMARY KEY ("hour","figure","rail","label")
);

-- CreateTable
CREATE TABLE "hours_counted" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "to_transaction" BIGINT NOT NULL,
    "counted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "hours_counted_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "purchase_blocks_payment_key_idx" ON "purchase_blocks"("payment_key");

-- What the language of the schema cannot say.

ALTER TABLE "hourly_figures" ADD CHECK (figure IN ('step', 'took', 'late', 'report', 'corrected', 'posted')),
  ADD CHECK (count > 0), ADD CHECK (amount_microcents >= 0),
  ADD CHECK (hour = date_trunc('hour', hour, 'UTC'));
-- One row, which whoever counts holds.
ALTER TABLE "hours_counted" ADD CHECK (id = 1);

-- Counting begins with the first row that there is: of a database in use the worker catches up with it.
INSERT INTO hours_counted (to_transaction, counted_at)
SELECT least((SELECT coalesce(min(transaction), now.until) FROM audit_rows),
  (SELECT coalesce(min(transaction), now.until) FROM ledger_transfers)), now()
FROM (SELECT oldest_open_transaction() AS until) now;

-- As before, and behind what was counted.
CREATE OR REPLACE FUNCTION continue_transaction_numbers() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM transaction_numbers FOR UPDATE;
  UPDATE transaction_numbers SET ahead = last + 1 FROM (
    WITH next AS MATERIALIZED (
      SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ahead AS number FROM transaction_numbers)
    SELECT greatest(
      (SELECT max(transaction) FROM audit_rows WHERE transaction >= (SELECT number FROM next)),
      (SELECT max(transaction) FROM operator_acts WHERE transaction >= (SELECT number FROM next)),
      (SELECT max(transaction) FROM ledger_transfers WHERE transaction >= (SELECT number FROM next)),
      (SELECT max(to_transaction) FROM ledger_closings WHERE to_transaction > (SELECT number FROM next)),
      (SELECT max(to_transaction) FROM audit_seals WHERE to_transaction > (SELECT number FROM next)),
      (SELECT to_transaction FROM hours_counted WHERE to_transaction > (SELECT number FROM next))) AS last) found
  WHERE last IS NOT NULL;
END $$;

-- Attempts to pay that failed are counted by when they did.
CREATE INDEX payments_failed_idx ON payments (decided_at, rail) WHERE state = 'failed';
-- Blocks that keep somebody from buying are counted on every page of the console.
CREATE INDEX purchase_blocks_open_idx ON purchase_blocks (created_at, block_key) WHERE lifted_at IS NULL;
-- What is held stands in the books.
DROP INDEX jobs_held_idx;
