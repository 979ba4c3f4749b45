-- AlterTable
ALTER TABLE "accounts" DROP COLUMN "purchases_blocked_at";

-- CreateTable
CREATE TABLE "purchase_blocks" (
    "block_key" TEXT NOT NULL,
    "account_key" TEXT,
    "payer" TEXT,
    "cause" TEXT NOT NULL,
    "payment_key" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "lifted_at" TIMESTAMPTZ(3),
    "lifted_by" TEXT,
    "lifted_because" TEXT,

    CONSTRAINT "purchase_blocks_pkey" PRIMARY KEY ("block_key")
);

-- AddForeignKey
ALTER TABLE "purchase_blocks" ADD CONSTRAINT "purchase_blocks_account_key_fkey" FOREIGN KEY ("account_key") REFERENCES "accounts"("account_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "purchase_blocks" ADD CONSTRAINT "purchase_blocks_payment_key_fkey" FOREIGN KEY ("payment_key") REFERENCES "payments"("payment_key") ON DELETE RESTRICT ON UPDATE CASCADE;



-- What the language of the schema cannot say.

-- A block names whom it keeps from buying and why; whoever lifts it says so.
ALTER TABLE "purchase_blocks"
  ADD CHECK (num_nonnulls(account_key, payer) = 1),
  ADD CHECK (payer = lower(payer)),
  ADD CHECK (cause IN ('payment_reversed', 'waivers')),
  ADD CHECK ((cause = 'payment_reversed') = (payment_key IS NOT NULL)),
  ADD CHECK (num_nulls(lifted_at, lifted_by, lifted_because) IN (0, 3)),
  ADD CHECK (lifted_because <> '');

-- One open block for a cause. The same indexes find who is blocked.
CREATE UNIQUE INDEX "purchase_blocks_account_open_key" ON "purchase_blocks" (account_key, cause, payment_key)
  NULLS NOT DISTINCT WHERE lifted_at IS NULL AND account_key IS NOT NULL;
CREATE UNIQUE INDEX "purchase_blocks_payer_open_key" ON "purchase_blocks" (payer, cause, payment_key)
  NULLS NOT DISTINCT WHERE lifted_at IS NULL AND payer IS NOT NULL;

-- A block stands as it was set, is lifted once, and stays to be read.
CREATE FUNCTION keep_purchase_block() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.lifted_at IS NOT NULL
    OR (NEW.block_key, NEW.account_key, NEW.payer, NEW.cause, NEW.payment_key, NEW.created_at)
      IS DISTINCT FROM (OLD.block_key, OLD.account_key, OLD.payer, OLD.cause, OLD.payment_key, OLD.created_at) THEN
    RAISE EXCEPTION '% can only be lifted, and once', OLD.block_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER purchase_blocks_are_lifted_once BEFORE UPDATE ON purchase_blocks FOR EACH ROW
  EXECUTE FUNCTION keep_purchase_block();
CREATE TRIGGER purchase_blocks_stay BEFORE DELETE OR TRUNCATE ON purchase_blocks EXECUTE FUNCTION refuse_change();
