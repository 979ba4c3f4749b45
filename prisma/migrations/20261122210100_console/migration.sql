-- CreateTable
CREATE TABLE "operators" (
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "granted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "operators_pkey" PRIMARY KEY ("email")
);

-- CreateTable
CREATE TABLE "operator_acts" (
    "subject" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "purchase_key" TEXT,
    "amount_microcents" BIGINT,
    "previous_hash" TEXT,
    "hash" TEXT NOT NULL,

    CONSTRAINT "operator_acts_pkey" PRIMARY KEY ("subject","sequence")
);

-- CreateIndex
CREATE INDEX "operator_acts_at_idx" ON "operator_acts"("at" DESC);

-- CreateIndex
CREATE INDEX "operator_acts_purchase_key_idx" ON "operator_acts"("purchase_key");

-- CreateIndex
CREATE INDEX "jobs_created_at_job_key_idx" ON "jobs"("created_at" DESC, "job_key" DESC);

-- CreateIndex
CREATE INDEX "ledger_transfers_at_idx" ON "ledger_transfers"("at" DESC);

-- AlterTable
ALTER TABLE "reports" ADD COLUMN "verdict" TEXT;

-- What the language of the schema cannot say.

ALTER TABLE "operators" ADD CHECK (role IN ('viewer', 'support', 'finance', 'admin')),
  ADD CHECK (email = lower(email));
ALTER TABLE "operator_acts" ADD CHECK (role IN ('viewer', 'support', 'finance', 'admin', 'command')),
  ADD CHECK (reason <> '');

-- The acts on one subject form a chain of hashes. Its own lock puts them in order: no act waits for one on another subject.
CREATE FUNCTION operator_act_hash(act operator_acts) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(convert_to(jsonb_build_array(act.subject, act.sequence, extract(epoch FROM act.at), act.actor,
    act.role, act.action, act.reason, act.purchase_key, act.amount_microcents, act.previous_hash)::text, 'UTF8')), 'hex')
$$;
CREATE FUNCTION chain_operator_act() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('operator_acts:' || NEW.subject, 0));
  SELECT sequence, hash INTO last FROM operator_acts WHERE subject = NEW.subject ORDER BY sequence DESC LIMIT 1;
  NEW.sequence := coalesce(last.sequence, 0) + 1;
  NEW.previous_hash := last.hash;
  NEW.hash := operator_act_hash(NEW);
  RETURN NEW;
END $$;
CREATE TRIGGER operator_acts_are_chained BEFORE INSERT ON operator_acts FOR EACH ROW
  EXECUTE FUNCTION chain_operator_act();
CREATE TRIGGER operator_acts_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_acts
  EXECUTE FUNCTION refuse_change();

-- The verdict of a report stands beside its text, for lists: its key comes once outside of quoted text.
CREATE FUNCTION note_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.verdict := (regexp_match(NEW.body, '"verdict":\s*"([a-z_]+)"'))[1];
  RETURN NEW;
END $$;
CREATE TRIGGER reports_note_verdict BEFORE INSERT ON reports FOR EACH ROW EXECUTE FUNCTION note_verdict();

-- What is held is summed on the first screen of the console.
CREATE INDEX jobs_held_idx ON jobs (price_microcents) WHERE charge_state = 'held';

-- CreateIndex
CREATE INDEX "idempotency_claims_idempotency_key_idx" ON "idempotency_claims"("idempotency_key");

-- CreateIndex
CREATE INDEX "chain_transfers_transaction_idx" ON "chain_transfers"("transaction");

-- What waits for a person is counted on every page of the console.
CREATE INDEX jobs_failed_idx ON jobs (created_at) WHERE state = 'failed';
CREATE INDEX refunds_unsettled_idx ON refunds (created_at) WHERE state <> 'refunded';
CREATE INDEX jobs_in_doubt_idx ON jobs (created_at DESC, job_key DESC)
  WHERE payment_state IN ('requires_payer', 'processing', 'unknown', 'refund_pending', 'refund_failed');
