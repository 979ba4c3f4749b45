-- AlterTable
ALTER TABLE "card_disputes" ADD COLUMN "reason" TEXT,
ADD COLUMN "amount_microcents" BIGINT,
ADD COLUMN "respond_by" TIMESTAMPTZ(3),
ADD COLUMN "answered_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "card_events" ADD COLUMN "failure" TEXT;

-- AlterTable
ALTER TABLE "ledger_transfers" ADD COLUMN "transaction" BIGINT;
ALTER TABLE "ledger_transfers" ALTER COLUMN "transaction" SET DEFAULT ((pg_current_xact_id())::text)::bigint;

-- AlterTable
ALTER TABLE "operator_acts" ADD COLUMN "transaction" BIGINT;
ALTER TABLE "operator_acts" ALTER COLUMN "transaction" SET DEFAULT ((pg_current_xact_id())::text)::bigint;

-- CreateTable
CREATE TABLE "audit_seals" (
    "number" INTEGER NOT NULL,
    "sealed_at" TIMESTAMPTZ(3) NOT NULL,
    "from_transaction" BIGINT NOT NULL,
    "to_transaction" BIGINT NOT NULL,
    "rows" INTEGER NOT NULL,
    "previous_hash" TEXT,
    "hash" TEXT NOT NULL,

    CONSTRAINT "audit_seals_pkey" PRIMARY KEY ("number")
);

-- CreateTable
CREATE TABLE "ledger_closings" (
    "account" TEXT NOT NULL,
    "to_transaction" BIGINT NOT NULL,
    "closed_at" TIMESTAMPTZ(3) NOT NULL,
    "debited_microcents" BIGINT NOT NULL,
    "credited_microcents" BIGINT NOT NULL,
    "entries" BIGINT NOT NULL,

    CONSTRAINT "ledger_closings_pkey" PRIMARY KEY ("to_transaction","account")
);

-- CreateTable
CREATE TABLE "finding_labels" (
    "job_key" TEXT NOT NULL,
    "report_number" INTEGER NOT NULL,
    "finding" INTEGER NOT NULL,
    "label" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "error" TEXT,
    "labeled_by" TEXT NOT NULL,
    "labeled_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "finding_labels_pkey" PRIMARY KEY ("job_key","report_number","finding")
);

-- CreateIndex
CREATE INDEX "finding_labels_labeled_at_idx" ON "finding_labels"("labeled_at" DESC);

-- CreateIndex
CREATE INDEX "accounts_created_at_account_key_idx" ON "accounts"("created_at" DESC, "account_key" DESC);

-- CreateIndex
CREATE INDEX "audit_rows_transaction_idx" ON "audit_rows" USING BRIN ("transaction");

-- CreateIndex
CREATE INDEX "operator_acts_transaction_idx" ON "operator_acts" USING BRIN ("transaction");

-- CreateIndex
CREATE INDEX "card_events_received_at_event_id_idx" ON "card_events"("received_at" DESC, "event_id" DESC);

-- CreateIndex
CREATE INDEX "ledger_transfers_debit_account_at_event_key_idx" ON "ledger_transfers"("debit_account", "at" DESC, "event_key" DESC);

-- CreateIndex
CREATE INDEX "ledger_transfers_credit_account_at_event_key_idx" ON "ledger_transfers"("credit_account", "at" DESC, "event_key" DESC);

-- CreateIndex
CREATE INDEX "ledger_transfers_transaction_idx" ON "ledger_transfers" USING BRIN ("transaction");

-- CreateIndex
CREATE INDEX "reports_delivered_at_idx" ON "reports"("delivered_at" DESC);

-- AddForeignKey
ALTER TABLE "finding_labels" ADD CONSTRAINT "finding_labels_job_key_report_number_fkey" FOREIGN KEY ("job_key", "report_number") REFERENCES "reports"("job_key", "number") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What the language of the schema cannot say.

ALTER TABLE "finding_labels" ADD CHECK (label IN ('right', 'wrong')),
  ADD CHECK (status IN ('met', 'partly_met', 'missing', 'contradicted', 'not_assessable')),
  ADD CHECK (finding >= 0),
  ADD CHECK (error IS NULL OR label = 'right');

-- A seal covers what the transactions before it left, down to the first, and stays.
ALTER TABLE "audit_seals" ADD CHECK (from_transaction < to_transaction), ADD CHECK (number > 0);
CREATE TRIGGER audit_seals_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals EXECUTE FUNCTION refuse_change();

-- Disputes that wait for an answer are counted on every page of the console.
CREATE INDEX card_disputes_open_idx ON card_disputes (respond_by) WHERE closed_at IS NULL;
-- Customers who let charges be waived are listed with how often.
CREATE INDEX jobs_waived_idx ON jobs (account_key, principal_key) WHERE state = 'waived';
