-- The audit lies in a table for each month, so that a month of old purchases goes to the archive as one. It is the month
-- in which the purchase began: all rows of a purchase lie together, and their numbers stay unique.

CREATE FUNCTION month_of(instant timestamptz) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT date_trunc('month', instant AT TIME ZONE 'UTC')::date $$;
CREATE FUNCTION audit_month(purchase text) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT month_of(created_at) FROM quotes WHERE quote_key = purchase $$;

ALTER TABLE audit_rows RENAME TO audit_before;
ALTER TABLE audit_before DROP CONSTRAINT audit_rows_pkey;
DROP INDEX audit_rows_principal_key_transaction_idx, audit_rows_transaction_idx;
CREATE TABLE audit_rows (
  purchase_key TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  state_from TEXT,
  state_to TEXT NOT NULL,
  previous_hash TEXT,
  hash TEXT NOT NULL,
  principal_key TEXT NOT NULL,
  transaction BIGINT NOT NULL,
  -- Of its purchase. Whoever inserts says it, because a trigger comes too late to choose the table.
  month DATE NOT NULL,
  PRIMARY KEY (purchase_key, sequence, month)
) PARTITION BY LIST (month);
CREATE INDEX audit_rows_principal_key_transaction_idx ON audit_rows (principal_key, transaction);
CREATE INDEX audit_rows_transaction_idx ON audit_rows USING brin (transaction);
CREATE TRIGGER audit_rows_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_rows EXECUTE FUNCTION refuse_change();
-- For months that nobody made in time, and for what comes after a month has gone.
CREATE TABLE audit_rows_default PARTITION OF audit_rows DEFAULT;
CREATE TRIGGER audit_rows_default_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_rows_default
  EXECUTE FUNCTION refuse_change();

-- Makes the table of a month. Statements that name it instead of audit_rows are refused, too.
CREATE FUNCTION make_audit_month(month date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name CONSTANT text := 'audit_rows_' || to_char(month, 'YYYY_MM');
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE audit_rows INCLUDING CONSTRAINTS)', name);
  EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I EXECUTE FUNCTION refuse_change()',
    name || '_only_grow', name);
  EXECUTE format('ALTER TABLE audit_rows ATTACH PARTITION %I FOR VALUES IN (%L)', name, month);
END $$;
-- Makes this month and the next two, where they are not there. What the default table has of a month stays in it. Runs
-- as the owner of the tables, whoever calls it; says how many it made.
CREATE FUNCTION make_audit_months() RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
  SET lock_timeout = '1s' AS $$
DECLARE
  next date;
  made int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('audit_months', 0)) THEN
    RETURN 0;
  END IF;
  FOR next IN SELECT month_of(now()) + n * interval '1 month' FROM generate_series(0, 2) n LOOP
    IF to_regclass('audit_rows_' || to_char(next, 'YYYY_MM')) IS NULL
      AND NOT EXISTS (SELECT FROM audit_rows_default WHERE month = next) THEN
      PERFORM make_audit_month(next);
      made := made + 1;
    END IF;
  END LOOP;
  RETURN made;
END $$;

-- Archived: the rows of some purchases of a month that transactions before one have left, as one object in the bucket.
-- A month that got a row meanwhile is put there again, behind a later transaction.
CREATE TABLE archived_audit (
  month DATE NOT NULL,
  until_transaction BIGINT NOT NULL,
  number INTEGER NOT NULL,
  first_key TEXT NOT NULL,
  last_key TEXT NOT NULL,
  rows INTEGER NOT NULL,
  -- That left a row of them. Set by the trigger, for the seals.
  last_transaction BIGINT NOT NULL,
  -- SHA-256 over the hashes of the rows, in their order, and of the object.
  hashes BYTEA NOT NULL,
  digest BYTEA NOT NULL,
  manifest INTEGER NOT NULL REFERENCES archive_manifests ON DELETE RESTRICT ON UPDATE CASCADE,
  PRIMARY KEY (month, until_transaction, number),
  CHECK (rows > 0),
  CHECK (length(digest) = 32)
);
CREATE INDEX archived_audit_manifest_idx ON archived_audit USING brin (manifest);
CREATE TRIGGER archived_audit_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON archived_audit
  EXECUTE FUNCTION refuse_change();

-- Where rows of a purchase that an object has end: what comes later is chained to the last of these. The steps stay here
-- in short, up to that row: an instant in milliseconds, what happened, and the state since.
CREATE TABLE audit_ends (
  purchase_key TEXT NOT NULL REFERENCES quotes ON DELETE RESTRICT ON UPDATE CASCADE,
  month DATE NOT NULL,
  until_transaction BIGINT NOT NULL,
  number INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  hash BYTEA NOT NULL,
  steps JSONB NOT NULL,
  PRIMARY KEY (purchase_key, sequence),
  FOREIGN KEY (month, until_transaction, number) REFERENCES archived_audit ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE FUNCTION keep_audit_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() < 2 THEN
    RAISE EXCEPTION 'the audit ends where the archive has it' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_ends_come_from_the_archive BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON audit_ends
  EXECUTE FUNCTION keep_audit_ends();

-- The steps of a purchase, wherever its audit lies.
CREATE VIEW audit_steps AS
  SELECT purchase_key, month, sequence, at, action, state_to FROM audit_rows
  UNION
  SELECT purchase_key, month, sequence - jsonb_array_length(steps) + place::int, to_timestamp((step ->> 0)::float8 / 1000), step ->> 1, step ->> 2
  FROM audit_ends, jsonb_array_elements(steps) WITH ORDINALITY AS kept (step, place);

CREATE OR REPLACE FUNCTION chain_audit_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
  quote record;
BEGIN
  SELECT principal_key, month_of(created_at) AS month INTO quote FROM quotes WHERE quote_key = NEW.purchase_key;
  IF NEW.month <> quote.month THEN
    RAISE EXCEPTION 'the audit of % belongs to %', NEW.purchase_key, quote.month USING ERRCODE = 'check_violation';
  END IF;
  SELECT sequence, hash INTO last FROM (
    (SELECT sequence, hash FROM audit_rows
      WHERE purchase_key = NEW.purchase_key AND month = NEW.month ORDER BY sequence DESC LIMIT 1)
    UNION ALL
    (SELECT sequence, encode(hash, 'hex') FROM audit_ends
      WHERE purchase_key = NEW.purchase_key ORDER BY sequence DESC LIMIT 1)) known
  ORDER BY sequence DESC LIMIT 1;
  NEW.sequence := coalesce(last.sequence, 0) + 1;
  NEW.previous_hash := last.hash;
  NEW.hash := encode(sha256(convert_to(concat_ws(E'\x1f', NEW.purchase_key, NEW.sequence, extract(epoch FROM NEW.at),
    NEW.actor, NEW.action, NEW.state_from, NEW.state_to, NEW.previous_hash), 'UTF8')), 'hex');
  NEW.principal_key := quote.principal_key;
  NEW.transaction := transaction_number();
  RETURN NEW;
END $$;

-- What there is moves there.
DO $$
DECLARE
  one date;
BEGIN
  FOR one IN SELECT DISTINCT coalesce(audit_month(purchase_key), month_of(at)) FROM audit_before LOOP
    PERFORM make_audit_month(one);
  END LOOP;
END $$;
INSERT INTO audit_rows
SELECT *, coalesce(audit_month(purchase_key), month_of(min(at) OVER (PARTITION BY purchase_key))) FROM audit_before;
DROP TABLE audit_before;
SELECT make_audit_months();
CREATE TRIGGER audit_rows_are_chained BEFORE INSERT ON audit_rows FOR EACH ROW EXECUTE FUNCTION chain_audit_row();
CREATE TRIGGER audit_rows_are_told AFTER INSERT ON audit_rows FOR EACH ROW
  WHEN (NEW.action IN ('collect', 'deliver', 'redeliver', 'accept', 'fail', 'cancel', 'fail_recheck', 'dispute_again',
    'waive', 'refund', 'refunded', 'refund_failed', 'refund_sent_by_hand', 'refund_credited'))
  EXECUTE FUNCTION tell_of_purchase();

-- An object has exactly the rows that its line says, and follows the one before it; so all lines of a month together have
-- each row once.
CREATE FUNCTION keep_archived_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
  here record;
BEGIN
  SELECT number, last_key INTO last FROM archived_audit
  WHERE month = NEW.month AND until_transaction = NEW.until_transaction ORDER BY number DESC LIMIT 1;
  SELECT count(*)::int AS rows, sha256(convert_to(string_agg(hash, '' ORDER BY hash), 'UTF8')) AS hashes,
    max(transaction) AS last_transaction INTO here
  FROM audit_rows WHERE month = NEW.month AND purchase_key BETWEEN NEW.first_key AND NEW.last_key
    AND transaction < NEW.until_transaction;
  IF NEW.number <> coalesce(last.number, 0) + 1 OR NEW.first_key <= last.last_key
    OR NEW.until_transaction > oldest_open_transaction()
    OR (NEW.rows, NEW.hashes) IS DISTINCT FROM (here.rows, here.hashes) THEN
    RAISE EXCEPTION 'object % of % has other rows than the audit', NEW.number, NEW.month USING ERRCODE = 'check_violation';
  END IF;
  -- What a customer may still delete keeps its month here.
  IF EXISTS (SELECT FROM quotes JOIN audit_rows ON purchase_key = quote_key
    WHERE month = NEW.month AND purchase_key BETWEEN NEW.first_key AND NEW.last_key AND input IS NOT NULL) THEN
    RAISE EXCEPTION 'content of % is not deleted yet', NEW.month USING ERRCODE = 'check_violation';
  END IF;
  NEW.last_transaction := here.last_transaction;
  RETURN NEW;
END $$;
CREATE TRIGGER archived_audit_is_whole BEFORE INSERT ON archived_audit FOR EACH ROW EXECUTE FUNCTION keep_archived_audit();
CREATE FUNCTION note_audit_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_ends (purchase_key, month, until_transaction, number, sequence, hash, steps)
  SELECT purchase_key, NEW.month, NEW.until_transaction, NEW.number, max(sequence),
    decode((array_agg(hash ORDER BY sequence DESC))[1], 'hex'),
    jsonb_agg(jsonb_build_array((extract(epoch FROM at) * 1000)::bigint, action, state_to) ORDER BY sequence)
  FROM audit_rows JOIN quotes ON quote_key = purchase_key
  WHERE month = NEW.month AND purchase_key BETWEEN NEW.first_key AND NEW.last_key AND transaction < NEW.until_transaction
  GROUP BY purchase_key
  ON CONFLICT (purchase_key, sequence) DO UPDATE
  SET until_transaction = excluded.until_transaction, number = excluded.number, steps = excluded.steps;
  RETURN NULL;
END $$;
CREATE TRIGGER archived_audit_leaves_ends AFTER INSERT ON archived_audit FOR EACH ROW EXECUTE FUNCTION note_audit_ends();

-- Takes a month out of the database once the archive has all of it; false when a row came meanwhile. Holds the audit for
-- as long as it takes to look, and waits a second for that. Runs as the owner of the tables, whoever calls it.
CREATE FUNCTION drop_audit_month(gone date, until bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  name CONSTANT text := 'audit_rows_' || to_char(gone, 'YYYY_MM');
BEGIN
  IF (SELECT count(*) FROM audit_rows WHERE month = gone AND transaction < until)
    IS DISTINCT FROM (SELECT sum(rows) FROM archived_audit WHERE month = gone AND until_transaction = until) THEN
    RAISE EXCEPTION 'the archive lacks rows of %', gone USING ERRCODE = 'check_violation';
  END IF;
  LOCK TABLE audit_rows IN ACCESS EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM audit_rows WHERE month = gone AND transaction >= until) THEN
    RETURN false;
  END IF;
  IF to_regclass(name) IS NOT NULL THEN
    EXECUTE format('DROP TABLE %I', name);
  ELSE
    ALTER TABLE audit_rows_default DISABLE TRIGGER audit_rows_default_only_grow;
    DELETE FROM audit_rows_default WHERE month = gone;
    ALTER TABLE audit_rows_default ENABLE TRIGGER audit_rows_default_only_grow;
  END IF;
  RETURN true;
END $$;
