-- CreateTable
CREATE TABLE "sources" (
    "source_key" TEXT NOT NULL,
    "account_key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "media_type" TEXT NOT NULL,
    "text" TEXT,
    "digest" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "added_by" TEXT NOT NULL,
    "added_at" TIMESTAMPTZ(3) NOT NULL,
    "removed_at" TIMESTAMPTZ(3),

    CONSTRAINT "sources_pkey" PRIMARY KEY ("source_key")
);

-- AddForeignKey
ALTER TABLE "sources" ADD CONSTRAINT "sources_account_key_fkey" FOREIGN KEY ("account_key") REFERENCES "accounts"("account_key") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "sources" ADD CONSTRAINT "sources_added_by_fkey" FOREIGN KEY ("added_by") REFERENCES "members"("member_key") ON DELETE RESTRICT ON UPDATE CASCADE;



-- What the language of the schema cannot say.

-- A document is there with its text, or removed without it.
ALTER TABLE "sources"
  ADD CHECK (media_type IN ('text/plain', 'text/markdown')),
  ADD CHECK (octet_length(text) = bytes),
  ADD CHECK (bytes BETWEEN 1 AND 32768),
  ADD CHECK ((text IS NULL) = (removed_at IS NOT NULL));
-- A name leads to one document of an account. The same index finds the documents that are there.
CREATE UNIQUE INDEX "sources_name_key" ON "sources" (account_key, name) WHERE removed_at IS NULL;

-- A document never changes, so its key stands for its text; it can only be removed, with its text.
CREATE FUNCTION keep_source_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.removed_at IS NOT NULL OR NEW.removed_at IS NULL
    OR (to_jsonb(NEW) - ARRAY['text', 'removed_at']) IS DISTINCT FROM (to_jsonb(OLD) - ARRAY['text', 'removed_at']) THEN
    RAISE EXCEPTION 'a source is frozen';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER sources_stay_frozen BEFORE UPDATE ON sources FOR EACH ROW EXECUTE FUNCTION keep_source_frozen();

-- The lock on the account puts those who add to it in order.
CREATE FUNCTION keep_sources_few() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM accounts WHERE account_key = NEW.account_key FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM sources WHERE account_key = NEW.account_key AND removed_at IS NULL) > 200 THEN
    RAISE EXCEPTION '% holds more than 200 sources', NEW.account_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER sources_stay_few AFTER INSERT ON sources FOR EACH ROW EXECUTE FUNCTION keep_sources_few();
