-- AlterTable
ALTER TABLE "payments" ADD COLUMN "reversed_at" TIMESTAMPTZ(3),
ADD COLUMN "watch_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "scanned_chains" (
    "network" TEXT NOT NULL,
    "scanned_to" BIGINT NOT NULL,

    CONSTRAINT "scanned_chains_pkey" PRIMARY KEY ("network")
);

-- CreateTable
CREATE TABLE "unmatched_transfers" (
    "network" TEXT NOT NULL,
    "transaction" TEXT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "payer" TEXT NOT NULL,
    "amount_microcents" BIGINT NOT NULL,
    "nonce" TEXT,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "unmatched_transfers_pkey" PRIMARY KEY ("network","transaction","log_index")
);

-- Only what was collected on a chain is watched there, and can be lost again.
ALTER TABLE "payments"
  ADD CHECK (num_nonnulls(watch_at, reversed_at) = 0 OR (state = 'collected' AND method = 'x402')),
  ADD CHECK (num_nonnulls(watch_at, reversed_at) < 2);
CREATE INDEX "payments_watched_idx" ON "payments" (watch_at) WHERE watch_at IS NOT NULL;

ALTER TABLE "unmatched_transfers" ADD CHECK (amount_microcents > 0);

ALTER TABLE "jobs"
  DROP CONSTRAINT "jobs_waived_because_check",
  ADD CHECK (waived_because IN ('second_dispute', 'recheck_failed', 'waived_by_operator', 'payment_reversed'));
