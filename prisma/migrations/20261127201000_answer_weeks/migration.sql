-- The answers to idempotency keys lie in a table for each week in which their keys were taken, and go with it as one. The
-- keys themselves stay in one small table, where each names one request whenever it came.

CREATE FUNCTION week_of(instant timestamptz) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT date_trunc('week', instant AT TIME ZONE 'UTC')::date $$;

ALTER TABLE idempotency_claims
  ADD COLUMN number BIGINT GENERATED ALWAYS AS IDENTITY,
  ADD COLUMN week DATE NOT NULL GENERATED ALWAYS AS (week_of(created_at)) STORED;

CREATE TABLE idempotency_answers (
  week DATE NOT NULL,
  -- Of the claim.
  number BIGINT NOT NULL,
  body TEXT NOT NULL,
  headers JSONB,
  PRIMARY KEY (week, number)
) PARTITION BY LIST (week);
-- For weeks that nobody made in time.
CREATE TABLE idempotency_answers_default PARTITION OF idempotency_answers DEFAULT;

CREATE FUNCTION answers_of_week(week date) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT 'idempotency_answers_' || to_char(week, 'YYYY_MM_DD') $$;
CREATE FUNCTION make_answer_week(week date) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE idempotency_answers)', answers_of_week(week));
  EXECUTE format('ALTER TABLE idempotency_answers ATTACH PARTITION %I FOR VALUES IN (%L)', answers_of_week(week), week);
END $$;

-- Makes this week and the next five, where they are not there, and drops those of which no key is left. What the default
-- table has of a week stays in it, until no key of the week is left. Runs as the owner of the tables, whoever calls it;
-- tables that are in use for long wait for the next call.
CREATE FUNCTION keep_answer_weeks() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  SET lock_timeout = '200ms' AS $$
DECLARE
  one date;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('answer_weeks', 0)) THEN
    RETURN;
  END IF;
  FOR one IN SELECT week_of(now()) + 7 * n FROM generate_series(0, 5) n LOOP
    IF to_regclass(answers_of_week(one)) IS NULL
      AND NOT EXISTS (SELECT FROM idempotency_answers_default WHERE week = one) THEN
      PERFORM make_answer_week(one);
    END IF;
  END LOOP;
  FOR one IN
    SELECT week FROM (
      SELECT to_date(right(relname, 10), 'YYYY_MM_DD') AS week FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
      WHERE inhparent = 'idempotency_answers'::regclass AND relname <> 'idempotency_answers_default'
      UNION SELECT week FROM idempotency_answers_default) weeks
    WHERE week < week_of(now() - interval '30 days') AND NOT EXISTS (
      SELECT FROM idempotency_claims WHERE created_at >= weeks.week::timestamp AT TIME ZONE 'UTC'
        AND created_at < (weeks.week + 7)::timestamp AT TIME ZONE 'UTC')
  LOOP
    EXECUTE format('DROP TABLE IF EXISTS %I', answers_of_week(one));
    DELETE FROM idempotency_answers_default WHERE week = one;
  END LOOP;
EXCEPTION WHEN lock_not_available THEN
  RAISE WARNING 'the answers to idempotency keys are in use: their weeks wait';
END $$;

-- What there is moves there.
DO $$
DECLARE
  one date;
BEGIN
  FOR one IN SELECT DISTINCT week FROM idempotency_claims WHERE body IS NOT NULL LOOP
    PERFORM make_answer_week(one);
  END LOOP;
END $$;
INSERT INTO idempotency_answers SELECT week, number, body, headers FROM idempotency_claims WHERE body IS NOT NULL;
ALTER TABLE idempotency_claims DROP COLUMN body, DROP COLUMN headers;
SELECT keep_answer_weeks();

CREATE OR REPLACE FUNCTION keep_answers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.fingerprint, NEW.number) IS DISTINCT FROM (OLD.fingerprint, OLD.number)
    OR OLD.status IS NOT NULL AND (NEW.status, NEW.answered_at) IS DISTINCT FROM (OLD.status, OLD.answered_at) THEN
    RAISE EXCEPTION 'an answer is kept as it was given' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION keep_answer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an answer is kept as it was given' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER idempotency_answers_are_kept BEFORE UPDATE ON idempotency_answers FOR EACH ROW
  EXECUTE FUNCTION keep_answer();

-- Each key with the answer to it, if it has one.
CREATE VIEW idempotency_requests AS
  SELECT scope, operation, path_keys, idempotency_key, fingerprint, status, body, headers, created_at, answered_at,
    repeats, repeated_at
  FROM idempotency_claims LEFT JOIN idempotency_answers USING (week, number);
