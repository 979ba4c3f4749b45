-- The texts of reports and receipts of old purchases lie in a bucket; their digests and figures stay. What was submitted
-- never goes there.

-- A receipt's figures, for sums.
ALTER TABLE receipts ADD COLUMN collected_microcents BIGINT, ADD COLUMN charged_microcents BIGINT,
  ADD COLUMN given_back_microcents BIGINT;
CREATE FUNCTION note_receipt_figures() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  body CONSTANT jsonb := NEW.body;
BEGIN
  NEW.collected_microcents := body #>> '{collection,amount_microcents}';
  NEW.charged_microcents := body #>> '{charge,amount_microcents}';
  NEW.given_back_microcents := body #>> '{remedy,amount_microcents}';
  RETURN NEW;
END $$;
DROP TRIGGER receipts_only_grow ON receipts;
UPDATE receipts SET collected_microcents = (body::jsonb #>> '{collection,amount_microcents}')::bigint,
  charged_microcents = (body::jsonb #>> '{charge,amount_microcents}')::bigint,
  given_back_microcents = (body::jsonb #>> '{remedy,amount_microcents}')::bigint;
CREATE TRIGGER receipts_note_figures BEFORE INSERT ON receipts FOR EACH ROW EXECUTE FUNCTION note_receipt_figures();

-- Each run of the archive signs what it put there. Each manifest names the one before.
CREATE TABLE archive_manifests (
  number INTEGER PRIMARY KEY,
  made_at TIMESTAMPTZ(3) NOT NULL,
  objects INTEGER NOT NULL,
  previous_digest TEXT,
  digest TEXT NOT NULL,
  CHECK (objects > 0),
  CHECK (digest ~ '^sha256:[0-9a-f]{64}$')
);
CREATE TRIGGER archive_manifests_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON archive_manifests
  EXECUTE FUNCTION refuse_change();
CREATE FUNCTION keep_manifests_chained() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT number, digest INTO last FROM archive_manifests ORDER BY number DESC LIMIT 1;
  IF NEW.number <> coalesce(last.number, 0) + 1 OR NEW.previous_digest IS DISTINCT FROM last.digest THEN
    RAISE EXCEPTION 'manifest % does not follow the last one', NEW.number USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER archive_manifests_are_chained BEFORE INSERT ON archive_manifests FOR EACH ROW
  EXECUTE FUNCTION keep_manifests_chained();

-- An object in the bucket: texts of one job, under the digest of the object. A job whose receipts went on has several.
CREATE TABLE archived_jobs (
  job_key TEXT NOT NULL REFERENCES jobs ON DELETE RESTRICT ON UPDATE CASCADE,
  number INTEGER NOT NULL,
  manifest INTEGER NOT NULL REFERENCES archive_manifests ON DELETE RESTRICT ON UPDATE CASCADE,
  -- SHA-256 of the object, and of each text in it.
  digest BYTEA NOT NULL,
  texts BYTEA[] NOT NULL,
  PRIMARY KEY (job_key, number),
  CHECK (number > 0),
  CHECK (length(digest) = 32),
  CHECK (cardinality(texts) > 0)
);
CREATE INDEX archived_jobs_manifest_idx ON archived_jobs USING brin (manifest);
CREATE TRIGGER archived_jobs_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON archived_jobs
  EXECUTE FUNCTION refuse_change();
-- What a customer may still delete keeps its purchase here.
CREATE FUNCTION keep_content_out_of_archive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM jobs JOIN quotes USING (quote_key) WHERE job_key = NEW.job_key AND input IS NULL) THEN
    RAISE EXCEPTION 'the content of % is not deleted yet', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER archived_jobs_have_no_content BEFORE INSERT ON archived_jobs FOR EACH ROW
  EXECUTE FUNCTION keep_content_out_of_archive();

-- A text stays as it is, or leaves once an object has it.
ALTER TABLE reports ALTER COLUMN body DROP NOT NULL;
ALTER TABLE receipts ALTER COLUMN body DROP NOT NULL;
CREATE FUNCTION keep_text_until_archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.body IS NOT NULL OR OLD.body IS NULL OR (to_jsonb(NEW) - 'body') IS DISTINCT FROM (to_jsonb(OLD) - 'body')
    OR NOT EXISTS (SELECT FROM archived_jobs
      WHERE job_key = OLD.job_key AND sha256(convert_to(OLD.body, 'UTF8')) = ANY (texts)) THEN
    RAISE EXCEPTION 'a text of % stays until the archive has it', OLD.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION require_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a report or receipt begins with its text' USING ERRCODE = 'not_null_violation';
END $$;
DROP TRIGGER reports_only_grow ON reports;
CREATE TRIGGER reports_stay BEFORE DELETE OR TRUNCATE ON reports EXECUTE FUNCTION refuse_change();
CREATE TRIGGER reports_keep_their_text BEFORE UPDATE ON reports FOR EACH ROW
  EXECUTE FUNCTION keep_text_until_archived();
CREATE TRIGGER reports_begin_with_text BEFORE INSERT ON reports FOR EACH ROW WHEN (NEW.body IS NULL)
  EXECUTE FUNCTION require_text();
CREATE TRIGGER receipts_stay BEFORE DELETE OR TRUNCATE ON receipts EXECUTE FUNCTION refuse_change();
CREATE TRIGGER receipts_keep_their_text BEFORE UPDATE ON receipts FOR EACH ROW
  EXECUTE FUNCTION keep_text_until_archived();
CREATE TRIGGER receipts_begin_with_text BEFORE INSERT ON receipts FOR EACH ROW WHEN (NEW.body IS NULL)
  EXECUTE FUNCTION require_text();
-- Finds what may go, oldest first. Every job with a report has a receipt.
CREATE INDEX receipts_here_idx ON receipts (issued_at) WHERE body IS NOT NULL;
