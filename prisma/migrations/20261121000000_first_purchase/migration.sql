-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "accounts" (
    "account_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("account_key")
);

-- CreateTable
CREATE TABLE "members" (
    "member_key" TEXT NOT NULL,
    "account_key" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "members_pkey" PRIMARY KEY ("member_key")
);

-- CreateTable
CREATE TABLE "sign_in_links" (
    "token_digest" TEXT NOT NULL,
    "member_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "sign_in_links_pkey" PRIMARY KEY ("token_digest")
);

-- CreateTable
CREATE TABLE "member_sessions" (
    "session_key" TEXT NOT NULL,
    "member_key" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "member_sessions_pkey" PRIMARY KEY ("session_key")
);

-- CreateTable
CREATE TABLE "principals" (
    "principal_key" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "account_key" TEXT NOT NULL,
    "name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "principals_pkey" PRIMARY KEY ("principal_key")
);

-- CreateTable
CREATE TABLE "credentials" (
    "credential_key" TEXT NOT NULL,
    "principal_key" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "credentials_pkey" PRIMARY KEY ("credential_key")
);

-- CreateTable
CREATE TABLE "wallet_challenges" (
    "challenge_key" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "wallet_challenges_pkey" PRIMARY KEY ("challenge_key")
);

-- CreateTable
CREATE TABLE "grants" (
    "grant_key" TEXT NOT NULL,
    "principal_key" TEXT NOT NULL,
    "service_keys" TEXT[],
    "payment_methods" TEXT[],
    "per_job_limit_microcents" BIGINT NOT NULL,
    "daily_limit_microcents" BIGINT NOT NULL,
    "total_limit_microcents" BIGINT,
    "governed_refs" BOOLEAN NOT NULL,
    "review_authority" BOOLEAN NOT NULL,
    "paused_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "grants_pkey" PRIMARY KEY ("grant_key")
);

-- CreateTable
CREATE TABLE "grant_usage" (
    "grant_key" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "used_microcents" BIGINT NOT NULL,

    CONSTRAINT "grant_usage_pkey" PRIMARY KEY ("grant_key","day")
);

-- CreateTable
CREATE TABLE "quotes" (
    "quote_key" TEXT NOT NULL,
    "principal_key" TEXT NOT NULL,
    "account_key" TEXT NOT NULL,
    "service_key" TEXT NOT NULL,
    "contract_version" TEXT NOT NULL,
    "terms_version" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "price_microcents" BIGINT NOT NULL,
    "max_price_microcents" BIGINT NOT NULL,
    "input_digest" TEXT NOT NULL,
    "input" TEXT,
    "evidence" JSONB NOT NULL,
    "planned_checks" JSONB NOT NULL,
    "digest" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "input_deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "quotes_pkey" PRIMARY KEY ("quote_key")
);

-- CreateTable
CREATE TABLE "jobs" (
    "job_key" TEXT NOT NULL,
    "quote_key" TEXT NOT NULL,
    "principal_key" TEXT NOT NULL,
    "account_key" TEXT NOT NULL,
    "grant_key" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "payment_state" TEXT NOT NULL,
    "charge_state" TEXT NOT NULL,
    "review_state" TEXT NOT NULL,
    "price_microcents" BIGINT NOT NULL,
    "authorized_on" DATE NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "pay_by" TIMESTAMPTZ(3) NOT NULL,
    "collected_at" TIMESTAMPTZ(3),
    "deliver_by" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "review_by" TIMESTAMPTZ(3),
    "finalized_at" TIMESTAMPTZ(3),
    "fence" INTEGER NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "stage" TEXT NOT NULL,
    "percent" INTEGER NOT NULL DEFAULT 0,
    "report_digest" TEXT,
    "failure" TEXT,

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("job_key")
);

-- CreateTable
CREATE TABLE "payments" (
    "payment_key" TEXT NOT NULL,
    "job_key" TEXT NOT NULL,
    "rail" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "amount_microcents" BIGINT NOT NULL,
    "network" TEXT NOT NULL,
    "asset" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "valid_before" TIMESTAMPTZ(3) NOT NULL,
    "transaction" TEXT,
    "failure" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "payments_pkey" PRIMARY KEY ("payment_key")
);

-- CreateTable
CREATE TABLE "reports" (
    "job_key" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "body" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "delivered_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "reports_pkey" PRIMARY KEY ("job_key","number")
);

-- CreateTable
CREATE TABLE "reviews" (
    "review_key" TEXT NOT NULL,
    "job_key" TEXT NOT NULL,
    "report_number" INTEGER NOT NULL,
    "decision" TEXT NOT NULL,
    "reviewer" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "reviews_pkey" PRIMARY KEY ("review_key")
);

-- CreateTable
CREATE TABLE "receipts" (
    "receipt_key" TEXT NOT NULL,
    "job_key" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "body" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "receipts_pkey" PRIMARY KEY ("receipt_key")
);

-- CreateTable
CREATE TABLE "receipt_keys" (
    "kid" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "valid_from" TIMESTAMPTZ(3) NOT NULL,
    "valid_to" TIMESTAMPTZ(3),

    CONSTRAINT "receipt_keys_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "ledger_transfers" (
    "event_key" TEXT NOT NULL,
    "event" TEXT NOT NULL,
    "job_key" TEXT NOT NULL,
    "principal_key" TEXT NOT NULL,
    "debit_account" TEXT NOT NULL,
    "credit_account" TEXT NOT NULL,
    "amount_microcents" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ledger_transfers_pkey" PRIMARY KEY ("event_key")
);

-- CreateTable
CREATE TABLE "audit_rows" (
    "purchase_key" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "state_from" TEXT,
    "state_to" TEXT NOT NULL,
    "previous_hash" TEXT,
    "hash" TEXT NOT NULL,

    CONSTRAINT "audit_rows_pkey" PRIMARY KEY ("purchase_key","sequence")
);

-- CreateTable
CREATE TABLE "idempotency_claims" (
    "scope" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "path_keys" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "status" INTEGER,
    "body" TEXT,
    "headers" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "answered_at" TIMESTAMPTZ(3),

    CONSTRAINT "idempotency_claims_pkey" PRIMARY KEY ("scope","operation","path_keys","idempotency_key")
);

-- CreateIndex
CREATE UNIQUE INDEX "members_account_key_email_key" ON "members"("account_key", "email");

-- CreateIndex
CREATE INDEX "principals_account_key_idx" ON "principals"("account_key");

-- CreateIndex
CREATE UNIQUE INDEX "credentials_token_hash_key" ON "credentials"("token_hash");

-- CreateIndex
CREATE INDEX "credentials_principal_key_idx" ON "credentials"("principal_key");

-- CreateIndex
CREATE UNIQUE INDEX "wallet_challenges_nonce_key" ON "wallet_challenges"("nonce");

-- CreateIndex
CREATE INDEX "wallet_challenges_expires_at_idx" ON "wallet_challenges"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "grants_principal_key_key" ON "grants"("principal_key");

-- CreateIndex
CREATE INDEX "quotes_principal_key_created_at_idx" ON "quotes"("principal_key", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "jobs_quote_key_key" ON "jobs"("quote_key");

-- CreateIndex
CREATE INDEX "jobs_principal_key_created_at_idx" ON "jobs"("principal_key", "created_at");

-- CreateIndex
CREATE INDEX "jobs_account_key_created_at_idx" ON "jobs"("account_key", "created_at");

-- CreateIndex
CREATE INDEX "payments_job_key_idx" ON "payments"("job_key");

-- CreateIndex
CREATE UNIQUE INDEX "reviews_job_key_report_number_key" ON "reviews"("job_key", "report_number");

-- CreateIndex
CREATE UNIQUE INDEX "receipts_job_key_sequence_key" ON "receipts"("job_key", "sequence");

-- CreateIndex
CREATE INDEX "ledger_transfers_job_key_idx" ON "ledger_transfers"("job_key");

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_account_key_fkey" FOREIGN KEY ("account_key") REFERENCES "accounts"("account_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sign_in_links" ADD CONSTRAINT "sign_in_links_member_key_fkey" FOREIGN KEY ("member_key") REFERENCES "members"("member_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "member_sessions" ADD CONSTRAINT "member_sessions_member_key_fkey" FOREIGN KEY ("member_key") REFERENCES "members"("member_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "principals" ADD CONSTRAINT "principals_account_key_fkey" FOREIGN KEY ("account_key") REFERENCES "accounts"("account_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_principal_key_fkey" FOREIGN KEY ("principal_key") REFERENCES "principals"("principal_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grants" ADD CONSTRAINT "grants_principal_key_fkey" FOREIGN KEY ("principal_key") REFERENCES "principals"("principal_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "grant_usage" ADD CONSTRAINT "grant_usage_grant_key_fkey" FOREIGN KEY ("grant_key") REFERENCES "grants"("grant_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "quotes" ADD CONSTRAINT "quotes_principal_key_fkey" FOREIGN KEY ("principal_key") REFERENCES "principals"("principal_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_quote_key_fkey" FOREIGN KEY ("quote_key") REFERENCES "quotes"("quote_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_principal_key_fkey" FOREIGN KEY ("principal_key") REFERENCES "principals"("principal_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_grant_key_fkey" FOREIGN KEY ("grant_key") REFERENCES "grants"("grant_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "payments" ADD CONSTRAINT "payments_job_key_fkey" FOREIGN KEY ("job_key") REFERENCES "jobs"("job_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reports" ADD CONSTRAINT "reports_job_key_fkey" FOREIGN KEY ("job_key") REFERENCES "jobs"("job_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_job_key_fkey" FOREIGN KEY ("job_key") REFERENCES "jobs"("job_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "receipts" ADD CONSTRAINT "receipts_job_key_fkey" FOREIGN KEY ("job_key") REFERENCES "jobs"("job_key") ON DELETE RESTRICT ON UPDATE CASCADE;



-- What the language of the schema cannot say: bounds, life cycles, and books that only grow.

ALTER TABLE "principals" ADD CHECK (kind IN ('agent', 'wallet'));
ALTER TABLE "credentials" ADD CHECK (kind IN ('agent', 'wallet'));
ALTER TABLE "grants"
  ADD CHECK (per_job_limit_microcents >= 0),
  ADD CHECK (daily_limit_microcents >= 0),
  ADD CHECK (total_limit_microcents >= 0);
ALTER TABLE "grant_usage" ADD CHECK (used_microcents >= 0);
ALTER TABLE "quotes"
  ADD CHECK (state IN ('open', 'authorized', 'rejected')),
  ADD CHECK (price_microcents > 0 AND price_microcents <= max_price_microcents);
ALTER TABLE "jobs"
  ADD CHECK (state IN ('awaiting_payment', 'queued', 'running', 'delivered', 'accepted', 'rechecking', 'redelivered',
    'waived', 'failed', 'canceled')),
  ADD CHECK (payment_state IN ('none', 'requires_payer', 'processing', 'unknown', 'collected', 'refund_pending',
    'refunded', 'refund_failed', 'credited', 'disputed', 'reversed')),
  ADD CHECK (charge_state IN ('none', 'held', 'final', 'waived')),
  ADD CHECK (review_state IN ('not_open', 'open', 'accepted', 'disputed')),
  -- No work before a committed collection.
  ADD CHECK (state IN ('awaiting_payment', 'canceled') OR collected_at IS NOT NULL),
  ADD CHECK (state NOT IN ('delivered', 'accepted', 'redelivered') OR report_digest IS NOT NULL),
  ADD CHECK ((state = 'accepted') = (charge_state = 'final')),
  ADD CHECK (percent BETWEEN 0 AND 100);
ALTER TABLE "payments"
  ADD CHECK (state IN ('settling', 'unknown', 'collected', 'failed')),
  ADD CHECK (amount_microcents > 0),
  ADD CHECK (payer = lower(payer) AND asset = lower(asset) AND nonce = lower(nonce)),
  ADD CHECK ((state = 'collected') = (transaction IS NOT NULL));
ALTER TABLE "ledger_transfers"
  ADD CHECK (amount_microcents > 0),
  ADD CHECK (debit_account <> credit_account),
  ADD CHECK (currency = 'USD');

-- One signature is one payment (EIP-3009), and a job has one payment that is open or collected.
CREATE UNIQUE INDEX "payments_authorization_key" ON "payments" (network, asset, payer, nonce);
CREATE UNIQUE INDEX "payments_active_key" ON "payments" (job_key) WHERE state IN ('settling', 'unknown', 'collected');
CREATE INDEX "payments_open_idx" ON "payments" (created_at) WHERE state IN ('settling', 'unknown');
-- What the sweep looks for stays small, whatever the number of purchases.
CREATE INDEX "jobs_working_idx" ON "jobs" (deliver_by) WHERE state IN ('queued', 'running');
CREATE INDEX "jobs_unpaid_idx" ON "jobs" (pay_by) WHERE state = 'awaiting_payment';
CREATE INDEX "jobs_reserved_idx" ON "jobs" (principal_key) WHERE state = 'awaiting_payment';
CREATE INDEX "ledger_transfers_credit_idx" ON "ledger_transfers" (principal_key)
  WHERE debit_account = 'liability:wallet_credit' OR credit_account = 'liability:wallet_credit';

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP;
END $$;
CREATE TRIGGER ledger_transfers_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transfers
  EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_rows_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_rows EXECUTE FUNCTION refuse_change();
CREATE TRIGGER receipts_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON receipts EXECUTE FUNCTION refuse_change();
CREATE TRIGGER reports_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON reports EXECUTE FUNCTION refuse_change();

-- A quote is frozen: afterwards only its state moves, and its content can be deleted.
CREATE FUNCTION keep_quote_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (to_jsonb(NEW) - ARRAY['state', 'input', 'input_deleted_at'])
      IS DISTINCT FROM (to_jsonb(OLD) - ARRAY['state', 'input', 'input_deleted_at'])
    OR (NEW.input IS NOT NULL AND NEW.input IS DISTINCT FROM OLD.input) THEN
    RAISE EXCEPTION 'a quote is frozen';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER quotes_stay_frozen BEFORE UPDATE ON quotes FOR EACH ROW EXECUTE FUNCTION keep_quote_frozen();

-- The rows of a purchase are numbered and chained here, so that no writer can forget or forge it.
CREATE FUNCTION chain_audit_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT sequence, hash INTO last FROM audit_rows
  WHERE purchase_key = NEW.purchase_key ORDER BY sequence DESC LIMIT 1;
  NEW.sequence := coalesce(last.sequence, 0) + 1;
  NEW.previous_hash := last.hash;
  NEW.hash := encode(sha256(convert_to(concat_ws(E'\x1f', NEW.purchase_key, NEW.sequence, extract(epoch FROM NEW.at),
    NEW.actor, NEW.action, NEW.state_from, NEW.state_to, NEW.previous_hash), 'UTF8')), 'hex');
  RETURN NEW;
END $$;
CREATE TRIGGER audit_rows_are_chained BEFORE INSERT ON audit_rows FOR EACH ROW EXECUTE FUNCTION chain_audit_row();
