-- Content that is kept although nobody has paid for it, so that it can be limited by buyer and by block of addresses.
CREATE TABLE "unpaid_content" (
  "quote_key" TEXT NOT NULL,
  "principal_key" TEXT NOT NULL,
  "origin" TEXT NOT NULL,
  "bytes" INTEGER NOT NULL,
  CONSTRAINT "unpaid_content_pkey" PRIMARY KEY ("quote_key"),
  CONSTRAINT "unpaid_content_has_bytes" CHECK (bytes > 0)
);
CREATE INDEX "unpaid_content_principal_key_idx" ON "unpaid_content" ("principal_key");
CREATE INDEX "unpaid_content_origin_idx" ON "unpaid_content" ("origin");
ALTER TABLE "unpaid_content" ADD CONSTRAINT "unpaid_content_quote_key_fkey"
  FOREIGN KEY ("quote_key") REFERENCES "quotes" ("quote_key") ON DELETE CASCADE ON UPDATE CASCADE;

-- It counts until it is paid for, or gone, however that came about.
CREATE FUNCTION count_no_longer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM unpaid_content WHERE quote_key = NEW.quote_key;
  RETURN NULL;
END $$;
CREATE TRIGGER content_is_paid_for AFTER UPDATE OF collected_at ON jobs FOR EACH ROW
  WHEN (OLD.collected_at IS NULL AND NEW.collected_at IS NOT NULL) EXECUTE FUNCTION count_no_longer();
CREATE TRIGGER content_is_gone AFTER UPDATE OF input ON quotes FOR EACH ROW
  WHEN (OLD.input IS NOT NULL AND NEW.input IS NULL) EXECUTE FUNCTION count_no_longer();
