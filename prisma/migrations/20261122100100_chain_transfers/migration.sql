-- DropTable
DROP TABLE "scanned_chains";
DROP TABLE "unmatched_transfers";

-- What only transfers have leaves the payments.
DROP TRIGGER payments_stay_decided ON payments;
ALTER TABLE "payments" DROP COLUMN "network",
DROP COLUMN "asset",
DROP COLUMN "payer",
DROP COLUMN "pay_to",
DROP COLUMN "nonce",
DROP COLUMN "valid_after",
DROP COLUMN "valid_before",
DROP COLUMN "signature",
DROP COLUMN "transaction",
DROP COLUMN "watch_at";

-- CreateTable
CREATE TABLE "x402_transfers" (
    "payment_key" TEXT NOT NULL,
    "network" TEXT NOT NULL,
    "asset" TEXT NOT NULL,
    "payer" TEXT NOT NULL,
    "pay_to" TEXT NOT NULL,
    "nonce" TEXT NOT NULL,
    "valid_after" TIMESTAMPTZ(3) NOT NULL,
    "valid_before" TIMESTAMPTZ(3) NOT NULL,
    "signature" TEXT,
    "seen_block" BIGINT NOT NULL,
    "watch_at" TIMESTAMPTZ(3),
    "missing_looks" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "x402_transfers_pkey" PRIMARY KEY ("payment_key")
);

-- CreateTable
CREATE TABLE "chain_transfers" (
    "network" TEXT NOT NULL,
    "transaction" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "asset" TEXT NOT NULL,
    "sender" TEXT NOT NULL,
    "recipient" TEXT NOT NULL,
    "amount_microcents" BIGINT NOT NULL,
    "nonce" TEXT,
    "refund_nonce" TEXT,
    "block_number" BIGINT NOT NULL,
    "block_hash" TEXT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "use" TEXT NOT NULL,
    "payment_key" TEXT,
    "refund_key" TEXT,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),
    "moves" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "chain_transfers_pkey" PRIMARY KEY ("network","transaction","position")
);

-- CreateTable
CREATE TABLE "searched_chains" (
    "network" TEXT NOT NULL,
    "opened_at" BIGINT NOT NULL,
    "searched_to" BIGINT NOT NULL,
    "head" BIGINT NOT NULL,
    "balance_microcents" BIGINT,
    "searched_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "searched_chains_pkey" PRIMARY KEY ("network")
);

-- CreateTable
CREATE TABLE "reversals" (
    "payment_key" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "job_payment_state" TEXT NOT NULL,
    "job_ended" BOOLEAN NOT NULL,
    "room_microcents" BIGINT NOT NULL,
    "books_account" TEXT NOT NULL,
    "reversed_at" TIMESTAMPTZ(3) NOT NULL,
    "healed_at" TIMESTAMPTZ(3),

    CONSTRAINT "reversals_pkey" PRIMARY KEY ("payment_key","number")
);

-- A refund gives an arrival back; that of a payment also names its job.
DROP INDEX "refunds_payment_key_key";
ALTER TABLE "refunds" DROP COLUMN "transaction",
ALTER COLUMN "payment_key" DROP NOT NULL,
ALTER COLUMN "job_key" DROP NOT NULL,
ADD COLUMN "network" TEXT NOT NULL,
ADD COLUMN "arrival_transaction" TEXT NOT NULL,
ADD COLUMN "arrival_position" INTEGER NOT NULL;

-- What arrives and leaves unasked belongs to no job.
ALTER TABLE "ledger_transfers" ALTER COLUMN "job_key" DROP NOT NULL,
ALTER COLUMN "principal_key" DROP NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "x402_transfers_authorization_key" ON "x402_transfers"("network", "asset", "payer", "nonce");
CREATE INDEX "x402_transfers_network_seen_block_idx" ON "x402_transfers"("network", "seen_block");
CREATE INDEX "x402_transfers_payer_idx" ON "x402_transfers"("payer");
CREATE INDEX "chain_transfers_network_block_number_idx" ON "chain_transfers"("network", "block_number");
CREATE INDEX "chain_transfers_payment_key_idx" ON "chain_transfers"("payment_key");
CREATE INDEX "chain_transfers_refund_key_idx" ON "chain_transfers"("refund_key");
CREATE INDEX "chain_transfers_network_nonce_idx" ON "chain_transfers"("network", "nonce");
CREATE INDEX "chain_transfers_network_refund_nonce_idx" ON "chain_transfers"("network", "refund_nonce");
CREATE INDEX "refunds_payment_key_idx" ON "refunds"("payment_key");
CREATE UNIQUE INDEX "refunds_network_arrival_transaction_arrival_position_key" ON "refunds"("network", "arrival_transaction", "arrival_position");

-- AddForeignKey
ALTER TABLE "x402_transfers" ADD CONSTRAINT "x402_transfers_payment_key_fkey" FOREIGN KEY ("payment_key") REFERENCES "payments"("payment_key") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "chain_transfers" ADD CONSTRAINT "chain_transfers_payment_key_fkey" FOREIGN KEY ("payment_key") REFERENCES "x402_transfers"("payment_key") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "chain_transfers" ADD CONSTRAINT "chain_transfers_refund_key_fkey" FOREIGN KEY ("refund_key") REFERENCES "refunds"("refund_key") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "refunds" DROP CONSTRAINT "refunds_payment_key_fkey";
ALTER TABLE "refunds" DROP CONSTRAINT "refunds_job_key_fkey";
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_payment_key_fkey" FOREIGN KEY ("payment_key") REFERENCES "payments"("payment_key") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_job_key_fkey" FOREIGN KEY ("job_key") REFERENCES "jobs"("job_key") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "refunds" ADD CONSTRAINT "refunds_network_arrival_transaction_arrival_position_fkey" FOREIGN KEY ("network", "arrival_transaction", "arrival_position") REFERENCES "chain_transfers"("network", "transaction", "position") ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "reversals" ADD CONSTRAINT "reversals_payment_key_fkey" FOREIGN KEY ("payment_key") REFERENCES "payments"("payment_key") ON DELETE RESTRICT ON UPDATE CASCADE;



-- What the language of the schema cannot say.

ALTER TABLE "x402_transfers"
  ADD CHECK (payer = lower(payer) AND asset = lower(asset) AND nonce = lower(nonce) AND pay_to = lower(pay_to)),
  ADD CHECK (seen_block >= 0);
CREATE INDEX "x402_transfers_watched_idx" ON "x402_transfers" (watch_at) WHERE watch_at IS NOT NULL;
ALTER TABLE "payments" ADD CHECK (reversed_at IS NULL OR (state = 'collected' AND method = 'x402'));

-- A log has one use: an arrival is unmatched until it is, once, a payment, late, or given back; what leaves is unexplained
-- until it is, once, a refund or a withdrawal.
ALTER TABLE "chain_transfers"
  ADD CHECK (amount_microcents > 0),
  ADD CHECK (sender <> recipient),
  ADD CHECK (sender = lower(sender) AND recipient = lower(recipient) AND asset = lower(asset)
    AND transaction = lower(transaction) AND nonce = lower(nonce)),
  ADD CHECK (use IN ('unmatched', 'payment', 'late', 'returned', 'outgoing', 'refund', 'withdrawal')),
  ADD CHECK ((use IN ('unmatched', 'payment', 'late', 'returned')) = (refund_nonce IS NOT NULL)),
  ADD CHECK ((use = 'payment') = (payment_key IS NOT NULL)),
  ADD CHECK ((use = 'refund') = (refund_key IS NOT NULL));
-- One log pays once, and a payment or a refund is one log of those that the chain holds.
CREATE UNIQUE INDEX "chain_transfers_payment_present_key" ON "chain_transfers" (payment_key)
  WHERE payment_key IS NOT NULL AND removed_at IS NULL;
CREATE UNIQUE INDEX "chain_transfers_refund_present_key" ON "chain_transfers" (refund_key)
  WHERE refund_key IS NOT NULL AND removed_at IS NULL;
CREATE INDEX "chain_transfers_removed_idx" ON "chain_transfers" (network, removed_at) WHERE removed_at IS NOT NULL;
CREATE INDEX "chain_transfers_open_idx" ON "chain_transfers" (seen_at) WHERE use IN ('unmatched', 'outgoing');

CREATE FUNCTION keep_transfer_used_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'position % of % is % for good', OLD.position, OLD.transaction, OLD.use
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER chain_transfers_are_used_once BEFORE UPDATE ON chain_transfers FOR EACH ROW
  WHEN ((NEW.use, NEW.payment_key, NEW.refund_key) IS DISTINCT FROM (OLD.use, OLD.payment_key, OLD.refund_key)
      AND NOT (OLD.use = 'unmatched' AND NEW.use IN ('payment', 'late', 'returned'))
      AND NOT (OLD.use = 'outgoing' AND NEW.use IN ('refund', 'withdrawal'))
    OR (NEW.network, NEW.transaction, NEW.position, NEW.asset, NEW.sender, NEW.recipient, NEW.amount_microcents,
        NEW.nonce, NEW.refund_nonce)
      IS DISTINCT FROM (OLD.network, OLD.transaction, OLD.position, OLD.asset, OLD.sender, OLD.recipient,
        OLD.amount_microcents, OLD.nonce, OLD.refund_nonce))
  EXECUTE FUNCTION keep_transfer_used_once();
CREATE FUNCTION keep_transfer_open_at_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a transfer is first seen, then used' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER chain_transfers_start_open BEFORE INSERT ON chain_transfers FOR EACH ROW
  WHEN (NEW.use NOT IN ('unmatched', 'outgoing')) EXECUTE FUNCTION keep_transfer_open_at_first();
CREATE TRIGGER chain_transfers_stay BEFORE DELETE OR TRUNCATE ON chain_transfers EXECUTE FUNCTION refuse_change();

-- A log pays for what its own authorization was signed for, and for nothing else: the whole amount, from the payer, to
-- the address that was asked for. A payer other than the wallet that buys counts only by a log that is younger than the
-- presentation: signatures are public once they are settled.
CREATE FUNCTION keep_payment_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM x402_transfers x JOIN payments p USING (payment_key) JOIN jobs j USING (job_key)
  WHERE x.payment_key = NEW.payment_key AND p.amount_microcents = NEW.amount_microcents
    AND (x.network, x.asset, x.payer, x.pay_to, x.nonce)
      = (NEW.network, NEW.asset, NEW.sender, NEW.recipient, NEW.nonce)
    AND (p.state = 'collected' OR NEW.block_number > x.seen_block OR x.payer = j.principal_key);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'position % of % does not pay %', NEW.position, NEW.transaction, NEW.payment_key
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER chain_transfers_prove_payments BEFORE UPDATE ON chain_transfers FOR EACH ROW
  WHEN (NEW.use = 'payment' AND OLD.use <> 'payment') EXECUTE FUNCTION keep_payment_proven();

CREATE FUNCTION keep_collection_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM chain_transfers WHERE payment_key = NEW.payment_key AND use = 'payment' AND removed_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no transfer pays %', NEW.payment_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER payments_are_proven BEFORE UPDATE ON payments FOR EACH ROW
  WHEN (NEW.method = 'x402' AND NEW.state = 'collected' AND OLD.state <> 'collected')
  EXECUTE FUNCTION keep_collection_proven();
CREATE TRIGGER payments_start_proven BEFORE INSERT ON payments FOR EACH ROW
  WHEN (NEW.method = 'x402' AND NEW.state = 'collected') EXECUTE FUNCTION keep_collection_proven();

-- What was signed stays as it was signed; a payment keeps its job and its amount, and what was decided is not open again.
CREATE TRIGGER payments_stay_decided BEFORE UPDATE ON payments FOR EACH ROW
  WHEN ((NEW.payment_key, NEW.job_key, NEW.rail, NEW.method, NEW.amount_microcents, NEW.created_at)
    IS DISTINCT FROM (OLD.payment_key, OLD.job_key, OLD.rail, OLD.method, OLD.amount_microcents, OLD.created_at)
    OR (OLD.state NOT IN ('settling', 'unknown') AND NEW.state IN ('settling', 'unknown'))
    OR (OLD.state = 'collected' AND NEW.state = 'failed'))
  EXECUTE FUNCTION keep_payment_decided();
CREATE TRIGGER x402_transfers_stay_signed BEFORE UPDATE ON x402_transfers FOR EACH ROW
  WHEN ((NEW.payment_key, NEW.network, NEW.asset, NEW.payer, NEW.pay_to, NEW.nonce, NEW.valid_after, NEW.valid_before,
      NEW.seen_block)
    IS DISTINCT FROM (OLD.payment_key, OLD.network, OLD.asset, OLD.payer, OLD.pay_to, OLD.nonce, OLD.valid_after,
      OLD.valid_before, OLD.seen_block)
    OR (NEW.signature IS NOT NULL AND NEW.signature IS DISTINCT FROM OLD.signature))
  EXECUTE FUNCTION keep_payment_decided();
CREATE TRIGGER x402_transfers_stay BEFORE DELETE OR TRUNCATE ON x402_transfers EXECUTE FUNCTION refuse_change();

-- A refund gives back what arrived and no more: one refund for an arrival, to whoever sent that, after its use is known.
CREATE FUNCTION keep_refund_within_its_arrival() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM chain_transfers c
  WHERE (c.network, c.transaction, c.position) = (NEW.network, NEW.arrival_transaction, NEW.arrival_position)
    AND c.amount_microcents >= NEW.amount_microcents
    AND c.use = CASE WHEN NEW.payment_key IS NULL THEN 'returned' WHEN NEW.reason = 'late_payment' THEN 'late'
      ELSE 'payment' END
    AND (c.payment_key IS NULL OR c.payment_key = NEW.payment_key);
  IF NOT FOUND THEN
    RAISE EXCEPTION '% gives back more than arrived', NEW.refund_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refunds_stay_within_their_arrival BEFORE INSERT OR UPDATE OF amount_microcents, network,
  arrival_transaction, arrival_position, payment_key, reason ON refunds FOR EACH ROW
  EXECUTE FUNCTION keep_refund_within_its_arrival();
ALTER TABLE "refunds"
  ADD CHECK ((payment_key IS NULL) = (job_key IS NULL)),
  ADD CHECK ((payment_key IS NULL) = (reason IN ('returned_by_operator', 'returned_before')));

-- What left is the refund that it is said to be: of that arrival, to its sender, in full, under its nonce.
CREATE FUNCTION keep_refund_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM refunds r JOIN chain_transfers arrival
    ON (arrival.network, arrival.transaction, arrival.position) = (r.network, r.arrival_transaction, r.arrival_position)
  WHERE r.refund_key = NEW.refund_key AND r.amount_microcents = NEW.amount_microcents
    AND (arrival.network, arrival.asset, arrival.sender, arrival.recipient, arrival.refund_nonce)
      = (NEW.network, NEW.asset, NEW.recipient, NEW.sender, NEW.nonce);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'position % of % is not %', NEW.position, NEW.transaction, NEW.refund_key
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER chain_transfers_prove_refunds BEFORE UPDATE ON chain_transfers FOR EACH ROW
  WHEN (NEW.use = 'refund' AND OLD.use <> 'refund') EXECUTE FUNCTION keep_refund_proven();
CREATE FUNCTION keep_refund_done_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM chain_transfers WHERE refund_key = NEW.refund_key AND use = 'refund';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no transfer carries % out', NEW.refund_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refunds_are_proven BEFORE UPDATE ON refunds FOR EACH ROW
  WHEN (NEW.state = 'refunded' AND OLD.state <> 'refunded') EXECUTE FUNCTION keep_refund_done_proven();
CREATE TRIGGER refunds_start_proven BEFORE INSERT ON refunds FOR EACH ROW
  WHEN (NEW.state = 'refunded') EXECUTE FUNCTION keep_refund_done_proven();

-- What belongs to no job is not held for one.
DROP TRIGGER ledger_transfers_keep_job_covered ON ledger_transfers;
CREATE TRIGGER ledger_transfers_keep_job_covered AFTER INSERT ON ledger_transfers FOR EACH ROW
  WHEN (NEW.debit_account IN ('liability:held', 'liability:refunds') AND NEW.job_key IS NOT NULL)
  EXECUTE FUNCTION keep_job_covered();
ALTER TABLE "ledger_transfers"
  ADD CHECK ((job_key IS NULL) = (principal_key IS NULL)),
  ADD CHECK (job_key IS NOT NULL OR NOT ('liability:held' IN (debit_account, credit_account)
    OR 'liability:wallet_credit' IN (debit_account, credit_account) OR 'revenue:work_check' = credit_account));

-- A reversal is undone once at most, and stands as it was otherwise.
CREATE FUNCTION keep_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the reversal of % can only be healed, and once', OLD.payment_key USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER reversals_are_healed_once BEFORE UPDATE ON reversals FOR EACH ROW
  WHEN (OLD.healed_at IS NOT NULL OR (to_jsonb(NEW) - 'healed_at') IS DISTINCT FROM (to_jsonb(OLD) - 'healed_at'))
  EXECUTE FUNCTION keep_reversal();
CREATE TRIGGER reversals_stay BEFORE DELETE OR TRUNCATE ON reversals EXECUTE FUNCTION refuse_change();
CREATE UNIQUE INDEX "reversals_open_key" ON "reversals" (payment_key) WHERE healed_at IS NULL;

-- A payment by transfer with everything that the chain knows it by, and the transaction that holds it, or held it last.
CREATE VIEW x402_payments AS
SELECT p.payment_key, p.job_key, j.principal_key, p.state, p.amount_microcents, p.created_at, p.lease_until, p.decided_at, p.failure,
  p.reversed_at, x.network, x.asset, x.payer, x.pay_to, x.nonce, x.valid_after, x.valid_before, x.signature,
  x.seen_block, x.watch_at, x.missing_looks, (
    SELECT c.transaction FROM chain_transfers c WHERE c.payment_key = p.payment_key
    ORDER BY c.removed_at IS NOT NULL, c.seen_at DESC LIMIT 1) AS transaction
FROM payments p JOIN x402_transfers x USING (payment_key) JOIN jobs j USING (job_key);

-- A reversal that proves wrong takes back the room that it had given up, even above the limits: the money is here.
DROP TRIGGER grant_usage_keeps_limits ON grant_usage;
DROP TRIGGER grant_usage_starts_in_limits ON grant_usage;
CREATE TRIGGER grant_usage_keeps_limits BEFORE UPDATE ON grant_usage FOR EACH ROW
  WHEN (NEW.used_microcents > OLD.used_microcents
    AND current_setting('purchases.retakes_room', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION keep_grant_limits();
CREATE TRIGGER grant_usage_starts_in_limits BEFORE INSERT ON grant_usage FOR EACH ROW
  EXECUTE FUNCTION keep_grant_limits();
