-- AlterTable
ALTER TABLE "audit_rows" ADD COLUMN "principal_key" TEXT, ADD COLUMN "transaction" BIGINT;

-- What came before is told in its order, as one purchase after the other was quoted.
ALTER TABLE "audit_rows" DISABLE TRIGGER "audit_rows_only_grow";
UPDATE audit_rows SET principal_key = quotes.principal_key, transaction = 0 FROM quotes WHERE quote_key = purchase_key;
ALTER TABLE "audit_rows" ENABLE TRIGGER "audit_rows_only_grow";
ALTER TABLE "audit_rows" ALTER COLUMN "principal_key" SET NOT NULL, ALTER COLUMN "transaction" SET NOT NULL;

-- CreateIndex
CREATE INDEX "audit_rows_principal_key_transaction_idx" ON "audit_rows"("principal_key", "transaction");

-- CreateIndex
CREATE INDEX "quotes_account_key_created_at_idx" ON "quotes"("account_key", "created_at");



-- Whose event a row is, and in which transaction it came: numbers of transactions are given out in order, so a reader
-- that waits for the open ones to end misses none (server/purchases/events.ts).
CREATE OR REPLACE FUNCTION chain_audit_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT sequence, hash INTO last FROM audit_rows
  WHERE purchase_key = NEW.purchase_key ORDER BY sequence DESC LIMIT 1;
  NEW.sequence := coalesce(last.sequence, 0) + 1;
  NEW.previous_hash := last.hash;
  NEW.hash := encode(sha256(convert_to(concat_ws(E'\x1f', NEW.purchase_key, NEW.sequence, extract(epoch FROM NEW.at),
    NEW.actor, NEW.action, NEW.state_from, NEW.state_to, NEW.previous_hash), 'UTF8')), 'hex');
  SELECT principal_key INTO NEW.principal_key FROM quotes WHERE quote_key = NEW.purchase_key;
  NEW.transaction := pg_current_xact_id()::text::bigint;
  RETURN NEW;
END $$;
