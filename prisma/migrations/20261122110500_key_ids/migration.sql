-- AlterTable
ALTER TABLE "credentials" ADD COLUMN "key_id" TEXT NOT NULL DEFAULT '';
ALTER TABLE "credentials" ALTER COLUMN "key_id" DROP DEFAULT;

-- AlterTable
ALTER TABLE "registrations" ADD COLUMN "key_id" TEXT NOT NULL DEFAULT '';
ALTER TABLE "registrations" ALTER COLUMN "key_id" DROP DEFAULT;

-- CreateTable
CREATE TABLE "secret_keys" (
    "key_id" TEXT NOT NULL,
    "first_used_at" TIMESTAMPTZ(3) NOT NULL,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "secret_keys_pkey" PRIMARY KEY ("key_id")
);



-- What the language of the schema cannot say.

ALTER TABLE "secret_keys" ADD CHECK (key_id ~ '^[0-9a-f]{16}$');

-- A sealed text names its key, and changes only to be sealed under another.
UPDATE quotes SET input = NULL, input_deleted_at = now() WHERE input IS NOT NULL;
ALTER TABLE "quotes" DROP CONSTRAINT "quotes_input_check";
ALTER TABLE "quotes" ADD CHECK (input ~ '^v2\.[0-9a-f]{16}\.');
UPDATE sources SET text = NULL, removed_at = now() WHERE removed_at IS NULL;
ALTER TABLE "sources" DROP CONSTRAINT "sources_text_check";
ALTER TABLE "sources" ADD CHECK (text ~ '^v2\.[0-9a-f]{16}\.');
DELETE FROM dispute_texts;
ALTER TABLE "dispute_texts" DROP CONSTRAINT "dispute_texts_texts_check";
ALTER TABLE "dispute_texts" ADD CHECK (texts ~ '^v2\.[0-9a-f]{16}\.');

CREATE FUNCTION is_resealed(old_text text, new_text text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT split_part(new_text, '.', 2) <> split_part(old_text, '.', 2) AND EXISTS (
    SELECT FROM secret_keys WHERE key_id = split_part(new_text, '.', 2) AND retired_at IS NULL)
$$;

CREATE OR REPLACE FUNCTION keep_quote_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (to_jsonb(NEW) - ARRAY['state', 'input', 'input_deleted_at'])
      IS DISTINCT FROM (to_jsonb(OLD) - ARRAY['state', 'input', 'input_deleted_at'])
    OR (NEW.input IS NOT NULL AND NEW.input IS DISTINCT FROM OLD.input
      AND (OLD.input IS NULL OR NOT is_resealed(OLD.input, NEW.input))) THEN
    RAISE EXCEPTION 'a quote is frozen';
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION keep_source_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.removed_at IS NOT NULL
    OR (NEW.removed_at IS NULL AND NOT is_resealed(OLD.text, NEW.text))
    OR (to_jsonb(NEW) - ARRAY['text', 'removed_at']) IS DISTINCT FROM (to_jsonb(OLD) - ARRAY['text', 'removed_at']) THEN
    RAISE EXCEPTION 'a source is frozen';
  END IF;
  RETURN NEW;
END $$;
