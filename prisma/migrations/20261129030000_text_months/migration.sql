-- The texts of reports and receipts lie in a table for each month, which goes as one once the archive has them: the
-- disk gets its pages back, and no index grows without end. What is looked for over all time (keys, digests, figures) stays
-- in reports and receipts. All texts of a job lie in the month in which it began.
-- The tables are converted in one transaction, which holds them, and the version before cannot write into them: stop that first.

-- In which a job began; null of none.
CREATE FUNCTION job_month(job text) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT month_of(created_at) FROM jobs WHERE job_key = job $$;

CREATE TABLE job_texts (
  job_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- `reports.number` or `receipts.sequence`.
  number INTEGER NOT NULL,
  body TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  -- `job_month`. Whoever inserts says it, because a trigger comes too late to choose the table.
  month DATE NOT NULL,
  PRIMARY KEY (job_key, kind, number, month),
  CHECK (kind IN ('reports', 'receipts'))
) PARTITION BY LIST (month);
-- Finds what may go, oldest first, and the newest reports.
CREATE INDEX job_texts_kind_at_idx ON job_texts (kind, at);

-- A text lies in the month of its job, stays as it is, and leaves once an object has it.
CREATE FUNCTION keep_text_month() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.month IS DISTINCT FROM job_month(NEW.job_key) THEN
    RAISE EXCEPTION 'the texts of % belong to %', NEW.job_key, job_month(NEW.job_key) USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER job_texts_keep_month BEFORE INSERT ON job_texts FOR EACH ROW EXECUTE FUNCTION keep_text_month();
CREATE OR REPLACE FUNCTION keep_text_until_archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' OR NOT EXISTS (SELECT FROM archived_jobs
      WHERE job_key = OLD.job_key AND sha256(convert_to(OLD.body, 'UTF8')) = ANY (texts)) THEN
    RAISE EXCEPTION 'a text of % stays until the archive has it', OLD.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER job_texts_stay_until_archived BEFORE UPDATE OR DELETE ON job_texts FOR EACH ROW
  EXECUTE FUNCTION keep_text_until_archived();
-- What a customer may still delete keeps its purchase here. An object takes texts that are here: what another run took, it has not.
CREATE OR REPLACE FUNCTION keep_content_out_of_archive() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM jobs JOIN quotes USING (quote_key) WHERE job_key = NEW.job_key AND input IS NULL) THEN
    RAISE EXCEPTION 'the content of % is not deleted yet', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  IF NOT NEW.texts <@ ARRAY(SELECT sha256(convert_to(body, 'UTF8')) FROM job_texts WHERE job_key = NEW.job_key) THEN
    RAISE EXCEPTION 'texts of % are not here', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER job_texts_are_not_emptied BEFORE TRUNCATE ON job_texts EXECUTE FUNCTION refuse_change();

-- For months that nobody made in time, and for what comes after a month has gone.
CREATE TABLE job_texts_default PARTITION OF job_texts DEFAULT;
CREATE TRIGGER job_texts_default_are_not_emptied BEFORE TRUNCATE ON job_texts_default EXECUTE FUNCTION refuse_change();
CREATE FUNCTION make_text_month(month date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name CONSTANT text := 'job_texts_' || to_char(month, 'YYYY_MM');
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE job_texts INCLUDING CONSTRAINTS)', name);
  EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %I EXECUTE FUNCTION refuse_change()',
    name || '_are_not_emptied', name);
  EXECUTE format('ALTER TABLE job_texts ATTACH PARTITION %I FOR VALUES IN (%L)', name, month);
END $$;

-- Makes this month and the next two of audit, books and texts, where they are not there. What a default table has of a month
-- stays in it; what somebody holds for a second is left to the next call. Runs as the owner of the tables, whoever calls it;
-- says how many it made.
CREATE OR REPLACE FUNCTION make_audit_months() RETURNS int LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  parted record;
  is_late boolean;
  made int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('audit_months', 0)) THEN
    RETURN 0;
  END IF;
  FOR parted IN SELECT (month_of(now()) + n * interval '1 month')::date AS month, name, maker
    FROM generate_series(0, 2) n, (VALUES ('audit_rows', 'make_audit_month'), ('ledger_transfers', 'make_ledger_month'),
      ('job_texts', 'make_text_month')) known (name, maker)
  LOOP
    BEGIN
      EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE month = %L)', parted.name || '_default', parted.month) INTO is_late;
      IF to_regclass(parted.name || to_char(parted.month, '_YYYY_MM')) IS NULL AND NOT is_late THEN
        EXECUTE format('SELECT %I(%L)', parted.maker, parted.month);
        made := made + 1;
      END IF;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END LOOP;
  RETURN made;
END $$;

-- Drops the table of a month of which at most 100 texts are here: those of purchases that stay go to the default table. False
-- when there are more, or no table. It looks without a lock first, then again while those wait who would write into that month,
-- by an index both times, which passes over what the first look found deleted. A vacuum of the month gives way after a second.
-- Then all texts are held for a moment, for which it waits a tenth of a second. A snapshot that is older than the lock might miss
-- a text, so read committed alone will do. Runs as the owner of the tables, whoever calls it: no table of the caller's stands in
-- for one.
CREATE FUNCTION drop_text_month(gone date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET enable_seqscan = off SET lock_timeout = '3s' AS $$
DECLARE
  part CONSTANT text := (SELECT format('public.%I', relname) FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
    WHERE inhparent = 'public.job_texts'::regclass AND relname = 'job_texts_' || to_char(gone, 'YYYY_MM'));
  look CONSTANT text := format('SELECT count(*) FROM (SELECT FROM %s ORDER BY job_key LIMIT 101) few', part);
  texts_left int;
  stay job_texts[];
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a month is dropped in read committed alone' USING ERRCODE = 'invalid_transaction_state';
  END IF;
  IF part IS NULL OR NOT pg_try_advisory_xact_lock(hashtextextended('audit_months', 0)) THEN
    RETURN false;
  END IF;
  EXECUTE look INTO texts_left;
  IF texts_left > 100 THEN
    RETURN false;
  END IF;
  EXECUTE format('LOCK TABLE %s IN SHARE MODE', part);
  EXECUTE look INTO texts_left;
  IF texts_left > 100 THEN
    RETURN false;
  END IF;
  EXECUTE format('SELECT array_agg(t::job_texts) FROM %s t WHERE job_key > ''''', part) INTO stay;
  SET LOCAL lock_timeout = '100ms';
  LOCK TABLE ONLY job_texts IN ACCESS EXCLUSIVE MODE;
  EXECUTE format('DROP TABLE %s', part);
  INSERT INTO job_texts SELECT * FROM unnest(stay);
  RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION make_text_month(date), drop_text_month(date) FROM PUBLIC;

-- A text that is here; null of one that left.
CREATE FUNCTION text_of(job text, what text, nr int) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT body FROM job_texts WHERE job_key = job AND kind = what AND number = nr AND month = job_month(job) $$;

-- What there is moves there.
DO $$
DECLARE
  one date;
BEGIN
  FOR one IN SELECT DISTINCT job_month(job_key) FROM receipts WHERE body IS NOT NULL
    UNION SELECT DISTINCT job_month(job_key) FROM reports WHERE body IS NOT NULL LOOP
    PERFORM make_text_month(one);
  END LOOP;
END $$;
INSERT INTO job_texts (job_key, kind, number, body, at, month)
SELECT job_key, 'reports', number, body, delivered_at, job_month(job_key) FROM reports WHERE body IS NOT NULL
UNION ALL
SELECT job_key, 'receipts', sequence, body, issued_at, job_month(job_key) FROM receipts WHERE body IS NOT NULL;
SELECT make_audit_months();

DROP TRIGGER reports_stay ON reports;
DROP TRIGGER reports_keep_their_text ON reports;
DROP TRIGGER reports_begin_with_text ON reports;
DROP TRIGGER receipts_stay ON receipts;
DROP TRIGGER receipts_keep_their_text ON receipts;
DROP TRIGGER receipts_begin_with_text ON receipts;
DROP TRIGGER receipts_note_figures ON receipts;
DROP FUNCTION require_text();
DROP FUNCTION note_receipt_figures();
-- Written anew, or the pages of the texts would be kept for good.
ALTER TABLE reports DROP COLUMN body, ALTER COLUMN digest TYPE TEXT USING digest || '';
ALTER TABLE receipts DROP COLUMN body, ALTER COLUMN digest TYPE TEXT USING digest || '';
CREATE TRIGGER reports_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON reports EXECUTE FUNCTION refuse_change();
CREATE TRIGGER receipts_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON receipts EXECUTE FUNCTION refuse_change();

-- A report comes after its text. Copies the verdict out of that, for lists: its key occurs once outside of quoted text.
CREATE OR REPLACE FUNCTION note_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  body CONSTANT text := text_of(NEW.job_key, 'reports', NEW.number);
BEGIN
  IF body IS NULL THEN
    RAISE EXCEPTION 'report % of % has no text', NEW.number, NEW.job_key USING ERRCODE = 'not_null_violation';
  END IF;
  NEW.verdict := (regexp_match(body, '"verdict":\s*"([a-z_]+)"'))[1];
  RETURN NEW;
END $$;
-- A receipt comes after its text, with the figures of that. The receipts of a job are numbered from 1, and each names the one
-- before.
CREATE OR REPLACE FUNCTION keep_receipts_chained() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  body CONSTANT jsonb := text_of(NEW.job_key, 'receipts', NEW.sequence);
  last record;
BEGIN
  IF body IS NULL THEN
    RAISE EXCEPTION '% has no text', NEW.receipt_key USING ERRCODE = 'not_null_violation';
  END IF;
  SELECT sequence, digest INTO last FROM receipts WHERE job_key = NEW.job_key ORDER BY sequence DESC LIMIT 1;
  IF NEW.sequence <> coalesce(last.sequence, 0) + 1
    OR body ->> 'previous_receipt_digest' IS DISTINCT FROM last.digest THEN
    RAISE EXCEPTION '% does not follow the last receipt of its job', NEW.receipt_key USING ERRCODE = 'check_violation';
  END IF;
  NEW.collected_microcents := body #>> '{collection,amount_microcents}';
  NEW.charged_microcents := body #>> '{charge,amount_microcents}';
  NEW.given_back_microcents := body #>> '{remedy,amount_microcents}';
  RETURN NEW;
END $$;
