-- AlterTable
ALTER TABLE "refunds" ALTER COLUMN "network" DROP NOT NULL,
ALTER COLUMN "arrival_transaction" DROP NOT NULL,
ALTER COLUMN "arrival_position" DROP NOT NULL,
ADD COLUMN "intent_id" TEXT,
ADD COLUMN "provider_refund_id" TEXT;

-- CreateTable
CREATE TABLE "card_payments" (
    "payment_key" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "customer_id" TEXT,
    "card_key" TEXT,
    "intent_id" TEXT,
    "session_asked_at" TIMESTAMPTZ(3),
    "session_expires_at" TIMESTAMPTZ(3),
    "session_id" TEXT,
    "session_url" TEXT,
    "failed_calls" INTEGER NOT NULL DEFAULT 0,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "look_at" TIMESTAMPTZ(3),
    "withdrawn_at" TIMESTAMPTZ(3),
    "decline_code" TEXT,

    CONSTRAINT "card_payments_pkey" PRIMARY KEY ("payment_key")
);

-- CreateTable
CREATE TABLE "card_charges" (
    "intent_id" TEXT NOT NULL,
    "payment_key" TEXT NOT NULL,
    "charge_id" TEXT NOT NULL,
    "amount_microcents" BIGINT NOT NULL,
    "fee_microcents" BIGINT NOT NULL,
    "use" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "card_charges_pkey" PRIMARY KEY ("intent_id")
);

-- CreateTable
CREATE TABLE "card_disputes" (
    "dispute_id" TEXT NOT NULL,
    "payment_key" TEXT NOT NULL,
    "intent_id" TEXT NOT NULL,
    "job_payment_state" TEXT,
    "opened_at" TIMESTAMPTZ(3) NOT NULL,
    "told_at" TIMESTAMPTZ(3),
    "withdrawn_microcents" BIGINT NOT NULL DEFAULT 0,
    "fee_microcents" BIGINT NOT NULL DEFAULT 0,
    "closed_at" TIMESTAMPTZ(3),
    "outcome" TEXT,

    CONSTRAINT "card_disputes_pkey" PRIMARY KEY ("dispute_id")
);

-- CreateTable
CREATE TABLE "card_customers" (
    "account_key" TEXT NOT NULL,
    "customer_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "card_customers_pkey" PRIMARY KEY ("account_key")
);

-- CreateTable
CREATE TABLE "saved_cards" (
    "card_key" TEXT NOT NULL,
    "account_key" TEXT NOT NULL,
    "customer_id" TEXT NOT NULL,
    "method_id" TEXT NOT NULL,
    "brand" TEXT NOT NULL,
    "last4" TEXT NOT NULL,
    "exp_month" INTEGER NOT NULL,
    "exp_year" INTEGER NOT NULL,
    "saved_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),
    "detached_at" TIMESTAMPTZ(3),

    CONSTRAINT "saved_cards_pkey" PRIMARY KEY ("card_key")
);

-- CreateTable
CREATE TABLE "card_uses" (
    "card_key" TEXT NOT NULL,
    "principal_key" TEXT NOT NULL,
    "payment_key" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "card_uses_pkey" PRIMARY KEY ("card_key","principal_key")
);

-- CreateTable
CREATE TABLE "card_events" (
    "event_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "handled_at" TIMESTAMPTZ(3),
    "tries" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "card_events_pkey" PRIMARY KEY ("event_id")
);

-- CreateTable
CREATE TABLE "card_searches" (
    "list" TEXT NOT NULL,
    "searched_to" TIMESTAMPTZ(3) NOT NULL,
    "searched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "card_searches_pkey" PRIMARY KEY ("list")
);

-- CreateTable
CREATE TABLE "card_differences" (
    "object_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "detail" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "card_differences_pkey" PRIMARY KEY ("object_id","kind")
);

-- CreateIndex
CREATE UNIQUE INDEX "card_payments_intent_id_key" ON "card_payments"("intent_id");
CREATE UNIQUE INDEX "card_payments_session_id_key" ON "card_payments"("session_id");
CREATE UNIQUE INDEX "card_charges_charge_id_key" ON "card_charges"("charge_id");
CREATE INDEX "card_charges_payment_key_idx" ON "card_charges"("payment_key");
CREATE INDEX "card_disputes_payment_key_idx" ON "card_disputes"("payment_key");
CREATE UNIQUE INDEX "card_customers_customer_id_key" ON "card_customers"("customer_id");
CREATE UNIQUE INDEX "saved_cards_method_id_key" ON "saved_cards"("method_id");
CREATE INDEX "saved_cards_account_key_idx" ON "saved_cards"("account_key");
CREATE UNIQUE INDEX "refunds_provider_refund_id_key" ON "refunds"("provider_refund_id");

-- AddForeignKey
ALTER TABLE "refunds" DROP CONSTRAINT "refunds_network_arrival_transaction_arrival_position_fkey";
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_network_arrival_transaction_arrival_position_fkey" FOREIGN KEY ("network", "arrival_transaction", "arrival_position") REFERENCES "chain_transfers"("network", "transaction", "position") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "card_charges"("intent_id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "card_payments" ADD CONSTRAINT "card_payments_payment_key_fkey" FOREIGN KEY ("payment_key") REFERENCES "payments"("payment_key") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "card_payments" ADD CONSTRAINT "card_payments_card_key_fkey" FOREIGN KEY ("card_key") REFERENCES "saved_cards"("card_key") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "card_charges" ADD CONSTRAINT "card_charges_payment_key_fkey" FOREIGN KEY ("payment_key") REFERENCES "payments"("payment_key") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "card_disputes" ADD CONSTRAINT "card_disputes_payment_key_fkey" FOREIGN KEY ("payment_key") REFERENCES "payments"("payment_key") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "card_disputes" ADD CONSTRAINT "card_disputes_intent_id_fkey" FOREIGN KEY ("intent_id") REFERENCES "card_charges"("intent_id") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "card_uses" ADD CONSTRAINT "card_uses_card_key_fkey" FOREIGN KEY ("card_key") REFERENCES "saved_cards"("card_key") ON DELETE RESTRICT ON UPDATE CASCADE;



-- What the language of the schema cannot say.

ALTER TABLE "payments"
  DROP CONSTRAINT "payments_method_check",
  ADD CHECK (method IN ('x402', 'wallet_credit', 'card_checkout', 'card_saved')),
  ADD CHECK ((rail = 'card') = (method IN ('card_checkout', 'card_saved'))),
  DROP CONSTRAINT "payments_check",
  ADD CHECK (reversed_at IS NULL OR (state = 'collected' AND method <> 'wallet_credit'));
CREATE INDEX "card_payments_look_idx" ON "card_payments" (look_at);

-- A charge pays once for its payment, in full, or is late and goes back.
ALTER TABLE "card_charges"
  ADD CHECK (use IN ('payment', 'late')),
  ADD CHECK (amount_microcents > 0 AND fee_microcents >= 0);
CREATE UNIQUE INDEX "card_charges_payment_use_key" ON "card_charges" (payment_key) WHERE use = 'payment';
CREATE FUNCTION keep_charge_within_its_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM payments WHERE payment_key = NEW.payment_key AND rail = 'card'
    AND (NEW.use = 'late' OR (amount_microcents = NEW.amount_microcents AND state IN ('settling', 'unknown')));
  IF NOT FOUND THEN
    RAISE EXCEPTION '% does not pay %', NEW.intent_id, NEW.payment_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER card_charges_stay_within_their_payment BEFORE INSERT ON card_charges FOR EACH ROW
  EXECUTE FUNCTION keep_charge_within_its_payment();
CREATE TRIGGER card_charges_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON card_charges EXECUTE FUNCTION refuse_change();
CREATE FUNCTION keep_card_collection_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM card_charges WHERE payment_key = NEW.payment_key AND use = 'payment';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no charge pays %', NEW.payment_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER card_payments_are_proven BEFORE UPDATE ON payments FOR EACH ROW
  WHEN (NEW.rail = 'card' AND NEW.state = 'collected' AND OLD.state <> 'collected')
  EXECUTE FUNCTION keep_card_collection_proven();
CREATE TRIGGER card_payments_start_proven BEFORE INSERT ON payments FOR EACH ROW
  WHEN (NEW.rail = 'card' AND NEW.state = 'collected') EXECUTE FUNCTION keep_card_collection_proven();
CREATE TRIGGER card_payments_stay BEFORE DELETE OR TRUNCATE ON card_payments EXECUTE FUNCTION refuse_change();
CREATE TRIGGER card_events_stay BEFORE TRUNCATE ON card_events EXECUTE FUNCTION refuse_change();

-- A refund gives back one arrival: a transfer, or a charge.
ALTER TABLE "refunds"
  ADD CHECK (num_nonnulls(network, intent_id) = 1),
  ADD CHECK (num_nonnulls(network, arrival_transaction, arrival_position) IN (0, 3)),
  ADD CHECK (provider_refund_id IS NULL OR intent_id IS NOT NULL);
CREATE UNIQUE INDEX "refunds_intent_key" ON "refunds" (intent_id) WHERE intent_id IS NOT NULL;
CREATE OR REPLACE FUNCTION keep_refund_within_its_arrival() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.intent_id IS NOT NULL THEN
    PERFORM 1 FROM card_charges c
    WHERE c.intent_id = NEW.intent_id AND c.payment_key = NEW.payment_key
      AND c.amount_microcents = NEW.amount_microcents
      AND c.use = CASE WHEN NEW.reason = 'late_payment' THEN 'late' ELSE 'payment' END;
  ELSE
    PERFORM 1 FROM chain_transfers c
    WHERE (c.network, c.transaction, c.position) = (NEW.network, NEW.arrival_transaction, NEW.arrival_position)
      AND c.amount_microcents >= NEW.amount_microcents
      AND c.use = CASE WHEN NEW.payment_key IS NULL THEN 'returned' WHEN NEW.reason = 'late_payment' THEN 'late'
        ELSE 'payment' END
      AND (c.payment_key IS NULL OR c.payment_key = NEW.payment_key);
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% gives back more than arrived', NEW.refund_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION keep_refund_done_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.intent_id IS NOT NULL AND NEW.provider_refund_id IS NOT NULL THEN
    RETURN NEW;
  END IF;
  PERFORM 1 FROM chain_transfers WHERE refund_key = NEW.refund_key AND use = 'refund';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'nothing carries % out', NEW.refund_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

ALTER TABLE "card_disputes"
  ADD CHECK (outcome IN ('won', 'lost')),
  ADD CHECK ((outcome IS NULL) = (closed_at IS NULL)),
  ADD CHECK (withdrawn_microcents >= 0 AND fee_microcents >= 0);
CREATE INDEX "card_events_open_idx" ON "card_events" (next_try_at) WHERE handled_at IS NULL;

ALTER TABLE "purchase_blocks"
  DROP CONSTRAINT "purchase_blocks_cause_check",
  ADD CHECK (cause IN ('payment_reversed', 'card_dispute', 'waivers')),
  DROP CONSTRAINT "purchase_blocks_check1",
  ADD CHECK ((cause IN ('payment_reversed', 'card_dispute')) = (payment_key IS NOT NULL));
