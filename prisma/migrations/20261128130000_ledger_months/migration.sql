-- Longer than 300 lines: one table, its parts, and how a part leaves.
-- The books lie in a table for each month, so that a month of old purchases goes to the archive as one. All entries of a
-- job lie in the month in which it began, so that an event of it is unique in one table. What belongs to no job (arrivals,
-- charges, fees, payouts) lies in a table of its own that never leaves: it is looked for by its key over all time, and no job
-- says when it is over.
-- The table is converted in one transaction, which holds it, and the version before cannot post into it: stop that first.

-- In which a job began; of no job, the month of what belongs to none.
CREATE FUNCTION ledger_month(job text) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT month_of(created_at) FROM jobs WHERE job_key = job), '-infinity') $$;

ALTER TABLE ledger_transfers RENAME TO ledger_before;
ALTER TABLE ledger_before DROP CONSTRAINT ledger_transfers_pkey;
DROP INDEX ledger_transfers_job_key_idx, ledger_transfers_at_idx, ledger_transfers_debit_account_at_idx,
  ledger_transfers_credit_account_at_idx, ledger_transfers_transaction_idx, ledger_transfers_credit_of_principal_idx;
CREATE TABLE ledger_transfers (
  event_key TEXT NOT NULL,
  event TEXT NOT NULL,
  job_key TEXT,
  principal_key TEXT,
  debit_account TEXT NOT NULL,
  credit_account TEXT NOT NULL,
  amount_microcents BIGINT NOT NULL,
  currency TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  transaction BIGINT NOT NULL DEFAULT transaction_number(),
  -- `ledger_month` of its job. Whoever inserts says it, because a trigger comes too late to choose the table.
  month DATE NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (event_key, month),
  CHECK (amount_microcents > 0),
  CHECK (currency = 'USD'),
  CHECK (debit_account <> credit_account),
  -- What arrives and leaves unasked belongs to no job, and is neither held, nor credit, nor revenue.
  CHECK ((job_key IS NULL) = (principal_key IS NULL)),
  CHECK (job_key IS NOT NULL OR NOT ('liability:held' IN (debit_account, credit_account)
    OR 'liability:wallet_credit' IN (debit_account, credit_account) OR 'revenue:work_check' = credit_account)),
  CHECK ((job_key IS NULL) = (month = '-infinity'))
) PARTITION BY LIST (month);
CREATE INDEX ledger_transfers_job_key_idx ON ledger_transfers (job_key);
CREATE INDEX ledger_transfers_at_idx ON ledger_transfers (at DESC);
CREATE INDEX ledger_transfers_debit_account_at_idx ON ledger_transfers (debit_account, at DESC);
CREATE INDEX ledger_transfers_credit_account_at_idx ON ledger_transfers (credit_account, at DESC);
-- Finds what was posted since the last closing.
CREATE INDEX ledger_transfers_transaction_idx ON ledger_transfers (transaction);
-- What came into a buyer's credit and was spent of it.
CREATE INDEX ledger_transfers_credit_of_principal_idx ON ledger_transfers (principal_key, at DESC, event_key DESC)
  WHERE debit_account = 'liability:wallet_credit' OR credit_account = 'liability:wallet_credit';
CREATE TRIGGER ledger_transfers_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transfers
  EXECUTE FUNCTION refuse_change();
CREATE TABLE ledger_transfers_of_no_job PARTITION OF ledger_transfers FOR VALUES IN ('-infinity');
CREATE TRIGGER ledger_transfers_of_no_job_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transfers_of_no_job
  EXECUTE FUNCTION refuse_change();
-- For months that nobody made in time, and for what comes after a month has gone.
CREATE TABLE ledger_transfers_default PARTITION OF ledger_transfers DEFAULT;
CREATE TRIGGER ledger_transfers_default_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transfers_default
  EXECUTE FUNCTION refuse_change();

-- Makes the table of a month. Statements that name it instead of ledger_transfers are refused, too.
CREATE FUNCTION make_ledger_month(month date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name CONSTANT text := 'ledger_transfers_' || to_char(month, 'YYYY_MM');
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE ledger_transfers INCLUDING CONSTRAINTS)', name);
  EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I EXECUTE FUNCTION refuse_change()',
    name || '_only_grow', name);
  EXECUTE format('ALTER TABLE ledger_transfers ATTACH PARTITION %I FOR VALUES IN (%L)', name, month);
END $$;
-- Makes this month and the next two of audit and books, where they are not there. What a default table has of a month stays
-- in it; what somebody holds for a second is left to the next call. Runs as the owner of the tables, whoever calls it; says how many it made.
CREATE OR REPLACE FUNCTION make_audit_months() RETURNS int LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  next date;
  made int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('audit_months', 0)) THEN
    RETURN 0;
  END IF;
  FOR next IN SELECT month_of(now()) + n * interval '1 month' FROM generate_series(0, 2) n LOOP
    BEGIN
      IF to_regclass('audit_rows_' || to_char(next, 'YYYY_MM')) IS NULL
        AND NOT EXISTS (SELECT FROM audit_rows_default WHERE month = next) THEN
        PERFORM make_audit_month(next);
        made := made + 1;
      END IF;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
    BEGIN
      IF to_regclass('ledger_transfers_' || to_char(next, 'YYYY_MM')) IS NULL
        AND NOT EXISTS (SELECT FROM ledger_transfers_default WHERE month = next) THEN
        PERFORM make_ledger_month(next);
        made := made + 1;
      END IF;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END LOOP;
  RETURN made;
END $$;

-- Archived: the entries of some jobs of a month that transactions before one have left, as one object in the bucket. A
-- month that got an entry meanwhile is put there again, behind a later transaction.
CREATE TABLE archived_ledger (
  month DATE NOT NULL,
  until_transaction BIGINT NOT NULL,
  number INTEGER NOT NULL,
  first_key TEXT NOT NULL,
  last_key TEXT NOT NULL,
  rows INTEGER NOT NULL,
  -- SHA-256 over the hashes of the entries, in their order, and of the object.
  hashes BYTEA NOT NULL,
  digest BYTEA NOT NULL,
  manifest INTEGER NOT NULL REFERENCES archive_manifests ON DELETE RESTRICT ON UPDATE CASCADE,
  PRIMARY KEY (month, until_transaction, number),
  CHECK (rows > 0),
  CHECK (length(digest) = 32)
);
CREATE INDEX archived_ledger_manifest_idx ON archived_ledger USING brin (manifest);
CREATE TRIGGER archived_ledger_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON archived_ledger
  EXECUTE FUNCTION refuse_change();

-- What a job holds in the accounts that may give no more of it than they hold: the sum of its entries, wherever they lie,
-- as wallet_credits has it of a buyer. Only the triggers of the books and of their archive write it.
CREATE TABLE job_holdings (
  job_key TEXT PRIMARY KEY REFERENCES jobs ON DELETE RESTRICT ON UPDATE CASCADE,
  held_microcents BIGINT NOT NULL,
  owed_microcents BIGINT NOT NULL,
  earned_microcents BIGINT NOT NULL,
  -- Digests of the events that an object of the archive has: they are not booked again.
  archived_events BYTEA[]
) WITH (fillfactor = 90);
-- Changes of credit that an object has: a buyer's history shows them for good.
CREATE TABLE archived_credit (
  event_key TEXT PRIMARY KEY,
  event TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  job_key TEXT NOT NULL,
  principal_key TEXT NOT NULL,
  change_microcents BIGINT NOT NULL
);
CREATE INDEX archived_credit_principal_key_idx ON archived_credit (principal_key);
-- What each account was debited and credited with by the entries that left.
CREATE TABLE ledger_left (
  month DATE NOT NULL,
  until_transaction BIGINT NOT NULL,
  account TEXT NOT NULL,
  debited_microcents BIGINT NOT NULL,
  credited_microcents BIGINT NOT NULL,
  entries BIGINT NOT NULL,
  PRIMARY KEY (month, until_transaction, account)
);
CREATE FUNCTION keep_to_the_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'ledger_left' OR pg_trigger_depth() < 2 THEN
    RAISE EXCEPTION '% moves with the books', TG_TABLE_NAME USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_left_moves_with_the_books BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON ledger_left
  EXECUTE FUNCTION keep_to_the_books();
CREATE TRIGGER archived_credit_moves_with_the_books BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON archived_credit
  EXECUTE FUNCTION keep_to_the_books();

-- An event in a list of a few.
CREATE FUNCTION event_digest(event_key text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT substr(sha256(convert_to(event_key, 'UTF8')), 1, 8) $$;

-- What an entry puts into an account, in microcents; less than nothing is what it gives.
CREATE FUNCTION put_into(account text, debit_account text, credit_account text, amount bigint) RETURNS bigint
  LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE account WHEN credit_account THEN amount WHEN debit_account THEN -amount ELSE 0 END $$;
-- An entry lies in the month of its job, and no event of that is booked again once its entry has left. What is held for a
-- job, or owed back for it, is given away once; so is its revenue, which an operator may give back. The lock on the job puts
-- those who post in order.
CREATE OR REPLACE FUNCTION keep_job_covered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  job_month date;
  holds job_holdings;
BEGIN
  SELECT month_of(created_at) INTO job_month FROM jobs WHERE job_key = NEW.job_key FOR NO KEY UPDATE;
  IF NEW.month IS DISTINCT FROM job_month THEN
    RAISE EXCEPTION 'the entries of % belong to %', NEW.job_key, job_month USING ERRCODE = 'check_violation';
  END IF;
  INSERT INTO job_holdings AS known (job_key, held_microcents, owed_microcents, earned_microcents)
  VALUES (NEW.job_key,
    put_into('liability:held', NEW.debit_account, NEW.credit_account, NEW.amount_microcents),
    put_into('liability:refunds', NEW.debit_account, NEW.credit_account, NEW.amount_microcents),
    put_into('revenue:work_check', NEW.debit_account, NEW.credit_account, NEW.amount_microcents))
  ON CONFLICT (job_key) DO UPDATE SET held_microcents = known.held_microcents + excluded.held_microcents,
    owed_microcents = known.owed_microcents + excluded.owed_microcents,
    earned_microcents = known.earned_microcents + excluded.earned_microcents
  RETURNING * INTO holds;
  IF holds.archived_events IS NOT NULL AND event_digest(NEW.event_key) = ANY (holds.archived_events) THEN
    RAISE EXCEPTION '% is booked: the archive has it', NEW.event_key USING ERRCODE = 'unique_violation';
  END IF;
  IF (CASE NEW.debit_account WHEN 'liability:held' THEN holds.held_microcents WHEN 'liability:refunds'
    THEN holds.owed_microcents WHEN 'revenue:work_check' THEN holds.earned_microcents END) < 0 THEN
    RAISE EXCEPTION '% gives more of % than % holds', NEW.event_key, NEW.debit_account, NEW.job_key
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;

-- What there is moves there.
DO $$
DECLARE
  one date;
BEGIN
  FOR one IN SELECT DISTINCT ledger_month(job_key) FROM ledger_before WHERE job_key IS NOT NULL LOOP
    PERFORM make_ledger_month(one);
  END LOOP;
END $$;
INSERT INTO ledger_transfers (event_key, event, job_key, principal_key, debit_account, credit_account, amount_microcents,
  currency, at, transaction, month)
SELECT event_key, event, job_key, principal_key, debit_account, credit_account, amount_microcents, currency, at,
  coalesce(transaction, 0), ledger_month(job_key)
FROM ledger_before;
DROP TABLE ledger_before;
INSERT INTO job_holdings (job_key, held_microcents, owed_microcents, earned_microcents)
SELECT job_key, sum(put_into('liability:held', debit_account, credit_account, amount_microcents)),
  sum(put_into('liability:refunds', debit_account, credit_account, amount_microcents)),
  sum(put_into('revenue:work_check', debit_account, credit_account, amount_microcents))
FROM ledger_transfers WHERE job_key IS NOT NULL GROUP BY job_key;
CREATE TRIGGER job_holdings_move_with_the_books BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON job_holdings
  EXECUTE FUNCTION keep_to_the_books();
SELECT make_audit_months();
CREATE TRIGGER ledger_transfers_keep_job_covered AFTER INSERT ON ledger_transfers FOR EACH ROW
  WHEN (NEW.job_key IS NOT NULL) EXECUTE FUNCTION keep_job_covered();
CREATE TRIGGER ledger_transfers_keep_wallet_credit AFTER INSERT ON ledger_transfers FOR EACH ROW
  WHEN ('liability:wallet_credit' IN (NEW.debit_account, NEW.credit_account)) EXECUTE FUNCTION keep_wallet_credit();

-- Of all that an entry says.
CREATE FUNCTION transfer_hash(t ledger_transfers) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(convert_to(concat_ws(E'\x1f', t.event_key, t.event, t.job_key, t.principal_key, t.debit_account,
    t.credit_account, t.amount_microcents, t.currency, extract(epoch FROM t.at), t.transaction), 'UTF8')), 'hex') $$;

-- An object has exactly the entries that its line says, and follows the one before it; so all lines of a month together
-- have each entry once.
CREATE FUNCTION keep_archived_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
  here record;
BEGIN
  SELECT number, last_key INTO last FROM archived_ledger
  WHERE month = NEW.month AND until_transaction = NEW.until_transaction ORDER BY number DESC LIMIT 1;
  SELECT count(*)::int AS rows,
    sha256(convert_to(string_agg(transfer_hash(t), '' ORDER BY transfer_hash(t)), 'UTF8')) AS hashes INTO here
  FROM ledger_transfers t WHERE month = NEW.month AND job_key BETWEEN NEW.first_key AND NEW.last_key
    AND transaction < NEW.until_transaction;
  IF NEW.number <> coalesce(last.number, 0) + 1 OR NEW.first_key <= last.last_key
    OR NEW.until_transaction > oldest_open_transaction()
    OR (NEW.rows, NEW.hashes) IS DISTINCT FROM (here.rows, here.hashes) THEN
    RAISE EXCEPTION 'object % of % has other entries than the books', NEW.number, NEW.month
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER archived_ledger_is_whole BEFORE INSERT ON archived_ledger FOR EACH ROW
  EXECUTE FUNCTION keep_archived_ledger();
CREATE FUNCTION note_archived_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO archived_credit (event_key, event, at, job_key, principal_key, change_microcents)
  SELECT event_key, event, at, job_key, principal_key,
    put_into('liability:wallet_credit', debit_account, credit_account, amount_microcents)
  FROM ledger_transfers
  WHERE month = NEW.month AND job_key BETWEEN NEW.first_key AND NEW.last_key AND transaction < NEW.until_transaction
    AND 'liability:wallet_credit' IN (debit_account, credit_account)
  ON CONFLICT (event_key) DO NOTHING;
  -- An object of an earlier run may have some of them already.
  UPDATE job_holdings h SET archived_events = coalesce(h.archived_events, '{}') || found.events FROM (
    SELECT job_key, array_agg(event_digest(event_key)) AS events FROM ledger_transfers t JOIN job_holdings known USING (job_key)
    WHERE month = NEW.month AND job_key BETWEEN NEW.first_key AND NEW.last_key AND transaction < NEW.until_transaction
      AND event_digest(event_key) <> ALL (coalesce(known.archived_events, '{}'))
    GROUP BY job_key) found
  WHERE h.job_key = found.job_key;
  RETURN NULL;
END $$;
CREATE TRIGGER archived_ledger_leaves_events AFTER INSERT ON archived_ledger FOR EACH ROW
  EXECUTE FUNCTION note_archived_events();

-- Takes a month out of the database once the archive has all of it; false when an entry came meanwhile. Holds the books for
-- as long as it takes to look and to drop, or to delete what lies in the default table, and waits a tenth of a second for
-- that, in which nobody posts. Holds no other month, or it would wait for whoever vacuums one. Runs as the owner of the
-- tables, whoever calls it.
CREATE FUNCTION drop_ledger_month(gone date, until bigint) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET lock_timeout = '100ms' AS $$
DECLARE
  name CONSTANT text := 'ledger_transfers_' || to_char(gone, 'YYYY_MM');
  sums ledger_left[];
BEGIN
  IF gone = '-infinity' OR (SELECT count(*) FROM ledger_transfers WHERE month = gone AND transaction < until)
    IS DISTINCT FROM (SELECT sum(rows) FROM archived_ledger WHERE month = gone AND until_transaction = until) THEN
    RAISE EXCEPTION 'the archive lacks entries of %', gone USING ERRCODE = 'check_violation';
  END IF;
  -- Closings have these, and add only what came later.
  IF EXISTS (SELECT FROM ledger_transfers WHERE month = gone AND transaction < until
    AND transaction >= (SELECT min(to_transaction) FROM ledger_closings)) THEN
    RAISE EXCEPTION 'the books of % are not closed', gone USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  SELECT array_agg(ROW(gone, until, account, debited, credited, entries)::ledger_left) INTO sums FROM (
    SELECT account, sum(debited)::bigint AS debited, sum(credited)::bigint AS credited, count(*) AS entries FROM (
      SELECT debit_account AS account, amount_microcents AS debited, 0 AS credited FROM ledger_transfers
      WHERE month = gone AND transaction < until
      UNION ALL SELECT credit_account, 0, amount_microcents FROM ledger_transfers
      WHERE month = gone AND transaction < until) sides
    GROUP BY account) of_accounts;
  LOCK TABLE ONLY ledger_transfers IN ACCESS EXCLUSIVE MODE;
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE',
    CASE WHEN to_regclass(name) IS NULL THEN 'ledger_transfers_default' ELSE name END);
  IF EXISTS (SELECT FROM ledger_transfers WHERE month = gone AND transaction >= until) THEN
    RETURN false;
  END IF;
  ALTER TABLE ledger_left DISABLE TRIGGER ledger_left_moves_with_the_books;
  INSERT INTO ledger_left SELECT * FROM unnest(sums);
  ALTER TABLE ledger_left ENABLE TRIGGER ledger_left_moves_with_the_books;
  IF to_regclass(name) IS NOT NULL THEN
    EXECUTE format('DROP TABLE %I', name);
  ELSE
    ALTER TABLE ledger_transfers_default DISABLE TRIGGER ledger_transfers_default_only_grow;
    DELETE FROM ledger_transfers_default WHERE month = gone;
    ALTER TABLE ledger_transfers_default ENABLE TRIGGER ledger_transfers_default_only_grow;
  END IF;
  RETURN true;
END $$;
REVOKE EXECUTE ON FUNCTION make_ledger_month(date), drop_ledger_month(date, bigint) FROM PUBLIC;
