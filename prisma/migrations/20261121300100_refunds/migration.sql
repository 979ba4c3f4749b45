-- CreateTable
CREATE TABLE "refunds" (
    "refund_key" TEXT NOT NULL,
    "payment_key" TEXT NOT NULL,
    "job_key" TEXT NOT NULL,
    "amount_microcents" BIGINT NOT NULL,
    "reason" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3) NOT NULL,
    "valid_before" TIMESTAMPTZ(3),
    "transaction" TEXT,
    "failure" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "refunds_pkey" PRIMARY KEY ("refund_key")
);

-- CreateTable
CREATE TABLE "wallet_credits" (
    "principal_key" TEXT NOT NULL,
    "balance_microcents" BIGINT NOT NULL,

    CONSTRAINT "wallet_credits_pkey" PRIMARY KEY ("principal_key")
);

-- AlterTable
ALTER TABLE "payments" ADD COLUMN "pay_to" TEXT,
ALTER COLUMN "network" DROP NOT NULL,
ALTER COLUMN "asset" DROP NOT NULL,
ALTER COLUMN "payer" DROP NOT NULL,
ALTER COLUMN "nonce" DROP NOT NULL,
ALTER COLUMN "valid_before" DROP NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "refunds_payment_key_key" ON "refunds"("payment_key");

-- CreateIndex
CREATE INDEX "refunds_job_key_idx" ON "refunds"("job_key");

-- AddForeignKey
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_payment_key_fkey" FOREIGN KEY ("payment_key") REFERENCES "payments"("payment_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_job_key_fkey" FOREIGN KEY ("job_key") REFERENCES "jobs"("job_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "wallet_credits" ADD CONSTRAINT "wallet_credits_principal_key_fkey" FOREIGN KEY ("principal_key") REFERENCES "principals"("principal_key") ON DELETE RESTRICT ON UPDATE CASCADE;



-- Money that is given back.

ALTER TABLE "refunds"
  ADD CHECK (state IN ('refund_pending', 'refunded', 'refund_failed')),
  ADD CHECK (amount_microcents > 0),
  ADD CHECK ((state = 'refunded') = (transaction IS NOT NULL));
CREATE INDEX "refunds_pending_idx" ON "refunds" (next_try_at) WHERE state = 'refund_pending';

-- A signed transfer has everything that the chain knows it by; a payment out of credit has none of it.
ALTER TABLE "payments" DROP CONSTRAINT "payments_check1";
ALTER TABLE "payments"
  ADD CHECK (method IN ('x402', 'wallet_credit')),
  ADD CHECK (pay_to = lower(pay_to)),
  ADD CHECK (method <> 'x402'
    OR num_nulls(network, asset, payer, nonce, valid_before, pay_to) = 0) NOT VALID,
  ADD CHECK (method <> 'x402' OR (state = 'collected') = (transaction IS NOT NULL));

-- What a buyer can spend as credit is a balance that the books keep; it never falls below zero.
ALTER TABLE "wallet_credits" ADD CHECK (balance_microcents >= 0);
INSERT INTO wallet_credits
SELECT principal_key,
  sum(CASE WHEN credit_account = 'liability:wallet_credit' THEN amount_microcents ELSE -amount_microcents END)
FROM ledger_transfers WHERE 'liability:wallet_credit' IN (debit_account, credit_account) GROUP BY principal_key;

CREATE FUNCTION keep_wallet_credit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.credit_account = 'liability:wallet_credit' THEN
    INSERT INTO wallet_credits VALUES (NEW.principal_key, NEW.amount_microcents)
    ON CONFLICT (principal_key)
    DO UPDATE SET balance_microcents = wallet_credits.balance_microcents + excluded.balance_microcents;
  ELSE
    UPDATE wallet_credits SET balance_microcents = balance_microcents - NEW.amount_microcents
    WHERE principal_key = NEW.principal_key;
    IF NOT FOUND THEN
      RAISE EXCEPTION '% has no credit to spend', NEW.principal_key USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_transfers_keep_wallet_credit AFTER INSERT ON ledger_transfers FOR EACH ROW
  WHEN ('liability:wallet_credit' IN (NEW.debit_account, NEW.credit_account)) EXECUTE FUNCTION keep_wallet_credit();
DROP INDEX "ledger_transfers_credit_idx";

-- What is held for a job, or owed back for it, is given away once: refunds, credits and revenue together are never
-- more than what was collected. The lock on the job puts those who give it away in order.
CREATE FUNCTION keep_job_covered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  balance bigint;
BEGIN
  PERFORM 1 FROM jobs WHERE job_key = NEW.job_key FOR NO KEY UPDATE;
  SELECT coalesce(sum(CASE WHEN credit_account = NEW.debit_account THEN amount_microcents ELSE -amount_microcents END), 0)
  INTO balance FROM ledger_transfers
  WHERE job_key = NEW.job_key AND NEW.debit_account IN (debit_account, credit_account);
  IF balance < 0 THEN
    RAISE EXCEPTION '% gives more of % than % holds', NEW.event_key, NEW.debit_account, NEW.job_key
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_transfers_keep_job_covered AFTER INSERT ON ledger_transfers FOR EACH ROW
  WHEN (NEW.debit_account IN ('liability:held', 'liability:refunds')) EXECUTE FUNCTION keep_job_covered();
