-- Longer than 300 lines: one schema, read room by room.
-- The whole schema: the kernel, then room by room. What each column means stands in schema.prisma. Beside each table
-- stand the rules that hold even if the code is wrong: CHECKs, indexes and triggers.

-- Finds names by the trigrams that they share.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- For tables whose rows stay: the books, the history, what was decided.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% only grows: % is refused', TG_TABLE_NAME, TG_OP;
END $$;


-- kernel/ ----------------------------------------------------------------------------------------------------------

-- Books, seals and events are read in the order of the transactions that left their rows. PostgreSQL counts transactions
-- anew in each cluster: in one that a dump is restored into, what is left next must come behind what the dump brought.
CREATE TABLE transaction_numbers (
  id INTEGER PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  ahead BIGINT NOT NULL CHECK (ahead >= 0)
);
INSERT INTO transaction_numbers (ahead) VALUES (0);

-- The number of this transaction.
CREATE FUNCTION transaction_number() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RETURN pg_current_xact_id()::text::bigint + (SELECT ahead FROM transaction_numbers);
END $$;

-- All transactions with a lower number have ended.
CREATE FUNCTION oldest_open_transaction() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN pg_snapshot_xmin(pg_current_snapshot())::text::bigint + (SELECT ahead FROM transaction_numbers);
END $$;

-- Goes on behind the highest number that is there, if that was given in another cluster: no transaction of this one that
-- the snapshot shows has such a number. Changes nothing otherwise, beside whoever writes.
CREATE FUNCTION continue_transaction_numbers() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM transaction_numbers FOR UPDATE;
  UPDATE transaction_numbers SET ahead = last + 1 FROM (
    WITH next AS MATERIALIZED (
      SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ahead AS number FROM transaction_numbers)
    SELECT greatest(
      (SELECT max(transaction) FROM audit_rows WHERE transaction >= (SELECT number FROM next)),
      (SELECT max(transaction) FROM operator_acts WHERE transaction >= (SELECT number FROM next)),
      (SELECT max(transaction) FROM ledger_transfers WHERE transaction >= (SELECT number FROM next)),
      (SELECT max(to_transaction) FROM ledger_closings WHERE to_transaction > (SELECT number FROM next)),
      (SELECT max(to_transaction) FROM audit_seals WHERE to_transaction > (SELECT number FROM next)),
      (SELECT to_transaction FROM hours_counted WHERE to_transaction > (SELECT number FROM next))) AS last) found
  WHERE last IS NOT NULL;
END $$;

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
  PRIMARY KEY (purchase_key, sequence)
);
CREATE INDEX audit_rows_principal_key_transaction_idx ON audit_rows (principal_key, transaction);
CREATE INDEX audit_rows_transaction_idx ON audit_rows USING brin (transaction);
CREATE TRIGGER audit_rows_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_rows EXECUTE FUNCTION refuse_change();

-- Rows are numbered, chained, and given their buyer and transaction here, so that no writer can forget or forge it.
-- Transactions are numbered in order: a reader of the feed who waits for the open ones to end misses none.
CREATE FUNCTION chain_audit_row() RETURNS trigger LANGUAGE plpgsql AS $$
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
  NEW.transaction := transaction_number();
  RETURN NEW;
END $$;
CREATE TRIGGER audit_rows_are_chained BEFORE INSERT ON audit_rows FOR EACH ROW EXECUTE FUNCTION chain_audit_row();

CREATE TABLE idempotency_claims (
  scope TEXT NOT NULL,
  operation TEXT NOT NULL,
  path_keys TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER,
  body TEXT,
  headers JSONB,
  created_at TIMESTAMPTZ(3) NOT NULL,
  answered_at TIMESTAMPTZ(3),
  repeats INTEGER NOT NULL DEFAULT 0,
  repeated_at TIMESTAMPTZ(3),
  PRIMARY KEY (scope, operation, path_keys, idempotency_key),
  CHECK (status BETWEEN 200 AND 299 OR status IN (400, 410, 422)),
  CHECK ((status IS NULL) = (answered_at IS NULL)),
  CHECK (repeats >= 0 AND (repeats = 0) = (repeated_at IS NULL)),
  CHECK (repeats = 0 OR status IS NOT NULL)
);
CREATE INDEX idempotency_claims_created_at_idx ON idempotency_claims USING brin (created_at);
CREATE INDEX idempotency_claims_idempotency_key_idx ON idempotency_claims (idempotency_key);
-- An answer is given again byte for byte, and a claim names one request for good.
CREATE FUNCTION keep_answers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.fingerprint <> OLD.fingerprint OR OLD.status IS NOT NULL
    AND (NEW.status, NEW.body, NEW.headers, NEW.answered_at)
      IS DISTINCT FROM (OLD.status, OLD.body, OLD.headers, OLD.answered_at) THEN
    RAISE EXCEPTION 'an answer is kept as it was given' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER idempotency_claims_keep_answers BEFORE UPDATE ON idempotency_claims FOR EACH ROW
  EXECUTE FUNCTION keep_answers();

-- Unlogged: after a crash everybody starts a new window. Free room on each page keeps updates off the index.
CREATE UNLOGGED TABLE rate_counts (
  subject TEXT NOT NULL,
  limit_name TEXT NOT NULL,
  used INTEGER NOT NULL,
  window_end TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (subject, limit_name),
  CHECK (used > 0)
) WITH (fillfactor = 50);
CREATE INDEX rate_counts_window_end_idx ON rate_counts (window_end);

CREATE TABLE secret_keys (
  key_id TEXT PRIMARY KEY,
  first_used_at TIMESTAMPTZ(3) NOT NULL,
  retired_at TIMESTAMPTZ(3),
  CHECK (key_id ~ '^[0-9a-f]{16}$')
);


-- service/ ---------------------------------------------------------------------------------------------------------

CREATE TABLE switches (
  name TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  changed_at TIMESTAMPTZ(3) NOT NULL,
  CHECK (name IN ('service', 'registrations', 'card', 'x402')),
  CHECK (state IN ('on', 'off')),
  CHECK (reason <> '')
);
CREATE TRIGGER switches_stay BEFORE DELETE OR TRUNCATE ON switches EXECUTE FUNCTION refuse_change();

CREATE TABLE switch_changes (
  sequence BIGSERIAL PRIMARY KEY,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  changed_at TIMESTAMPTZ(3) NOT NULL
);
CREATE TRIGGER switch_changes_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON switch_changes
  EXECUTE FUNCTION refuse_change();

-- A trigger keeps the history, so that no writer can leave a turn out.
CREATE FUNCTION note_switch_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO switch_changes (name, state, reason, actor, changed_at)
  VALUES (NEW.name, NEW.state, NEW.reason, NEW.actor, NEW.changed_at);
  RETURN NULL;
END $$;
CREATE TRIGGER switches_note_changes AFTER INSERT OR UPDATE ON switches FOR EACH ROW
  EXECUTE FUNCTION note_switch_change();


-- identity/ --------------------------------------------------------------------------------------------------------

CREATE TABLE accounts (
  account_key TEXT PRIMARY KEY,
  created_at TIMESTAMPTZ(3) NOT NULL,
  links_closed_at TIMESTAMPTZ(3)
);
CREATE INDEX accounts_created_at_account_key_idx ON accounts (created_at DESC, account_key DESC);

-- Who buys, as it stands on receipts for the books.
CREATE TABLE billing_details (
  account_key TEXT PRIMARY KEY REFERENCES accounts ON DELETE RESTRICT ON UPDATE CASCADE,
  name TEXT NOT NULL,
  address TEXT NOT NULL,
  tax_id TEXT,
  changed_at TIMESTAMPTZ(3) NOT NULL,
  CHECK (length(name) BETWEEN 1 AND 200),
  CHECK (length(address) BETWEEN 1 AND 500),
  CHECK (length(tax_id) BETWEEN 1 AND 50)
);

CREATE TABLE members (
  member_key TEXT PRIMARY KEY,
  account_key TEXT NOT NULL REFERENCES accounts ON DELETE RESTRICT ON UPDATE CASCADE,
  -- By bytes, whatever the locale, so that an index also finds addresses by their beginning.
  email TEXT COLLATE "C" NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  role TEXT NOT NULL,
  agents_reviewed_at TIMESTAMPTZ(3),
  removed_at TIMESTAMPTZ(3),
  CHECK (role IN ('owner', 'approver', 'reader'))
);
CREATE UNIQUE INDEX members_account_key_email_key ON members (account_key, email);
CREATE INDEX members_email_idx ON members (email);
-- An address owns one account at most, however many confirmations race.
CREATE UNIQUE INDEX members_owner_key ON members (email) WHERE role = 'owner' AND removed_at IS NULL;

CREATE TABLE invitations (
  invitation_key TEXT PRIMARY KEY,
  account_key TEXT NOT NULL REFERENCES accounts ON DELETE RESTRICT ON UPDATE CASCADE,
  email TEXT NOT NULL,
  role TEXT NOT NULL,
  invited_by TEXT NOT NULL REFERENCES members ON DELETE RESTRICT ON UPDATE CASCADE,
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  accepted_at TIMESTAMPTZ(3),
  withdrawn_at TIMESTAMPTZ(3),
  CHECK (email = lower(email)),
  CHECK (role IN ('approver', 'reader')),
  CHECK (accepted_at IS NULL OR withdrawn_at IS NULL),
  CHECK (accepted_at < expires_at)
);
-- One that waits for an answer for each address.
CREATE UNIQUE INDEX invitations_open_key ON invitations (account_key, email)
  WHERE accepted_at IS NULL AND withdrawn_at IS NULL;
CREATE INDEX invitations_invited_by_idx ON invitations (invited_by);
CREATE INDEX invitations_email_created_at_idx ON invitations (email, created_at);

CREATE TABLE sign_in_links (
  token_digest TEXT PRIMARY KEY,
  member_key TEXT NOT NULL REFERENCES members ON DELETE RESTRICT ON UPDATE CASCADE,
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  used_at TIMESTAMPTZ(3),
  made_by TEXT NOT NULL,
  next TEXT NOT NULL,
  CHECK (made_by IN ('letter', 'operator')),
  -- A sign-in leads to a page of ours, never to another site.
  CHECK (next LIKE '/%' AND next NOT LIKE '//%' AND next NOT LIKE '%\\%')
);
CREATE INDEX sign_in_links_member_key_idx ON sign_in_links (member_key);

CREATE TABLE member_sessions (
  session_key TEXT PRIMARY KEY,
  member_key TEXT NOT NULL REFERENCES members ON DELETE RESTRICT ON UPDATE CASCADE,
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  ended_at TIMESTAMPTZ(3),
  browser TEXT,
  origin TEXT NOT NULL
);
CREATE INDEX member_sessions_member_key_idx ON member_sessions (member_key);

CREATE TABLE principals (
  principal_key TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  account_key TEXT NOT NULL REFERENCES accounts ON DELETE RESTRICT ON UPDATE CASCADE,
  name TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL,
  revoked_at TIMESTAMPTZ(3),
  CHECK (kind IN ('agent', 'wallet'))
);
CREATE INDEX principals_account_key_idx ON principals (account_key);
CREATE INDEX principals_name_idx ON principals USING gin (lower(name) gin_trgm_ops);

CREATE TABLE credentials (
  credential_key TEXT PRIMARY KEY,
  principal_key TEXT NOT NULL REFERENCES principals ON DELETE RESTRICT ON UPDATE CASCADE,
  kind TEXT NOT NULL,
  token_hash TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3),
  revoked_at TIMESTAMPTZ(3),
  last_used_at TIMESTAMPTZ(3),
  use_by TIMESTAMPTZ(3),
  grace_seconds INTEGER,
  replaces TEXT REFERENCES credentials ON DELETE SET NULL ON UPDATE CASCADE,
  key_id TEXT NOT NULL,
  CHECK (kind IN ('agent', 'wallet', 'oauth')),
  -- A keyed hash. A token in clear does not have this shape.
  CHECK (token_hash ~ '^[0-9A-Za-z_-]{43}$'),
  CHECK (use_by IS NULL OR kind = 'agent'),
  -- A credential that replaces another says how long that one still works.
  CHECK ((replaces IS NULL) = (grace_seconds IS NULL)),
  CHECK (grace_seconds BETWEEN 0 AND 86400),
  CHECK (replaces <> credential_key)
);
CREATE UNIQUE INDEX credentials_token_hash_key ON credentials (token_hash);
CREATE INDEX credentials_principal_key_idx ON credentials (principal_key);
-- An agent has one unused credential at most: a new release replaces one that got lost.
CREATE UNIQUE INDEX credentials_unused_key ON credentials (principal_key)
  WHERE kind = 'agent' AND last_used_at IS NULL AND revoked_at IS NULL;
CREATE INDEX credentials_use_by_idx ON credentials (use_by) WHERE last_used_at IS NULL AND revoked_at IS NULL;

CREATE TABLE wallet_challenges (
  challenge_key TEXT PRIMARY KEY,
  address TEXT NOT NULL,
  nonce TEXT NOT NULL,
  message TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  used_at TIMESTAMPTZ(3)
);
CREATE UNIQUE INDEX wallet_challenges_nonce_key ON wallet_challenges (nonce);
CREATE INDEX wallet_challenges_expires_at_idx ON wallet_challenges (expires_at);

CREATE TABLE registrations (
  registration_key TEXT PRIMARY KEY,
  mode TEXT NOT NULL,
  state TEXT NOT NULL,
  email TEXT NOT NULL,
  agent_key TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  agent_software TEXT,
  requested_grant JSONB NOT NULL,
  terms_version TEXT NOT NULL,
  origin TEXT NOT NULL,
  claim_token_hash TEXT NOT NULL,
  code_tries INTEGER NOT NULL DEFAULT 0,
  code_mailed_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  decided_at TIMESTAMPTZ(3),
  claim_until TIMESTAMPTZ(3),
  account_key TEXT REFERENCES accounts ON DELETE SET NULL ON UPDATE CASCADE,
  key_id TEXT NOT NULL,
  lifted_at TIMESTAMPTZ(3),
  user_code_hash TEXT NOT NULL,
  CHECK (mode IN ('new_customer', 'link_existing')),
  CHECK (state IN ('pending_confirmation', 'confirmed', 'released', 'declined')),
  CHECK (code_tries BETWEEN 0 AND 5),
  CHECK (email = lower(email)),
  CHECK ((state = 'pending_confirmation') = (decided_at IS NULL)),
  CHECK ((state IN ('confirmed', 'released')) = (claim_until IS NOT NULL)),
  CHECK (state NOT IN ('confirmed', 'released') OR account_key IS NOT NULL),
  -- A declined request silences its origin; only that can be lifted.
  CHECK (lifted_at IS NULL OR state = 'declined')
);
CREATE UNIQUE INDEX registrations_agent_key_key ON registrations (agent_key);
CREATE INDEX registrations_account_key_idx ON registrations (account_key);
CREATE INDEX registrations_email_created_at_idx ON registrations (email, created_at);
CREATE INDEX registrations_email_user_code_hash_idx ON registrations (email, user_code_hash);

-- What the authorization server remembers. Ids are bearer secrets: their digests only.
CREATE TABLE oauth_records (
  model TEXT NOT NULL,
  id_hash TEXT NOT NULL,
  payload JSONB NOT NULL,
  grant_id TEXT,
  credential_key TEXT REFERENCES credentials ON DELETE CASCADE ON UPDATE CASCADE,
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3),
  consumed_at TIMESTAMPTZ(3),
  PRIMARY KEY (model, id_hash),
  CHECK (id_hash ~ '^[0-9A-Za-z_-]{43}$'),
  -- An access token is a credential, and nothing else is.
  CHECK ((model = 'AccessToken') = (credential_key IS NOT NULL))
);
CREATE INDEX oauth_records_grant_id_idx ON oauth_records (grant_id);
CREATE INDEX oauth_records_expires_at_idx ON oauth_records (expires_at);
CREATE INDEX oauth_records_credential_key_idx ON oauth_records (credential_key);

-- The agent that an OAuth client is for the member who let it buy.
CREATE TABLE oauth_connections (
  client_id_hash TEXT NOT NULL,
  member_key TEXT NOT NULL REFERENCES members ON DELETE CASCADE ON UPDATE CASCADE,
  agent_key TEXT NOT NULL REFERENCES principals ON DELETE RESTRICT ON UPDATE CASCADE,
  PRIMARY KEY (client_id_hash, member_key),
  CHECK (client_id_hash ~ '^[0-9A-Za-z_-]{43}$')
);
CREATE INDEX oauth_connections_member_key_idx ON oauth_connections (member_key);
CREATE INDEX oauth_connections_agent_key_idx ON oauth_connections (agent_key);

CREATE TABLE account_events (
  sequence BIGSERIAL PRIMARY KEY,
  account_key TEXT NOT NULL REFERENCES accounts ON DELETE RESTRICT ON UPDATE CASCADE,
  principal_key TEXT,
  at TIMESTAMPTZ(3) NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  detail JSONB NOT NULL
);
CREATE INDEX account_events_account_key_at_idx ON account_events (account_key, at);
CREATE INDEX account_events_principal_key_at_idx ON account_events (principal_key, at);
CREATE TRIGGER account_events_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON account_events
  EXECUTE FUNCTION refuse_change();

-- Each decision on what a principal may buy, under the digest that quotes and receipts name it by.
CREATE TABLE grant_decisions (
  grant_digest TEXT PRIMARY KEY,
  body JSONB NOT NULL,
  decided_at TIMESTAMPTZ(3) NOT NULL
);
CREATE TRIGGER grant_decisions_stay BEFORE UPDATE OR TRUNCATE ON grant_decisions
  EXECUTE FUNCTION refuse_change();

CREATE TABLE grants (
  grant_key TEXT PRIMARY KEY,
  principal_key TEXT NOT NULL REFERENCES principals ON DELETE RESTRICT ON UPDATE CASCADE,
  service_keys TEXT[],
  payment_methods TEXT[],
  per_job_limit_microcents BIGINT NOT NULL,
  daily_limit_microcents BIGINT NOT NULL,
  total_limit_microcents BIGINT,
  governed_refs BOOLEAN NOT NULL,
  review_authority BOOLEAN NOT NULL,
  paused_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3),
  approval_above_microcents BIGINT,
  may_ask_above_limits BOOLEAN NOT NULL DEFAULT false,
  -- The decision in force.
  grant_digest TEXT NOT NULL REFERENCES grant_decisions ON DELETE RESTRICT ON UPDATE CASCADE,
  CHECK (per_job_limit_microcents >= 0),
  CHECK (daily_limit_microcents >= 0),
  CHECK (total_limit_microcents >= 0),
  CHECK (approval_above_microcents >= 0)
);
CREATE UNIQUE INDEX grants_principal_key_key ON grants (principal_key);

CREATE TABLE grant_usage (
  grant_key TEXT NOT NULL REFERENCES grants ON DELETE RESTRICT ON UPDATE CASCADE,
  day DATE NOT NULL,
  used_microcents BIGINT NOT NULL,
  PRIMARY KEY (grant_key, day),
  CHECK (used_microcents >= 0)
);
CREATE TRIGGER grant_usage_stays BEFORE DELETE OR TRUNCATE ON grant_usage EXECUTE FUNCTION refuse_change();

-- A grant is never used beyond its limits; a limit that was lowered holds for what comes next. A total limit spans all
-- days, so its taker locks the grant: two days meet at midnight.
CREATE FUNCTION keep_grant_limits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  limits record;
  taken bigint := NEW.used_microcents;
  other_days bigint := 0;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    taken := NEW.used_microcents - OLD.used_microcents;
  END IF;
  PERFORM 1 FROM grants WHERE grant_key = NEW.grant_key AND total_limit_microcents IS NOT NULL FOR NO KEY UPDATE;
  SELECT per_job_limit_microcents AS per_job, daily_limit_microcents AS daily, total_limit_microcents AS total
  INTO limits FROM grants WHERE grant_key = NEW.grant_key;
  IF limits.total IS NOT NULL THEN
    SELECT coalesce(sum(used_microcents), 0) INTO other_days FROM grant_usage
    WHERE grant_key = NEW.grant_key AND day <> NEW.day;
  END IF;
  IF (taken > limits.per_job OR NEW.used_microcents > limits.daily
      OR other_days + NEW.used_microcents > limits.total)
    -- A person let this one job pass: it has not taken its room yet.
    AND NOT EXISTS (SELECT FROM jobs WHERE grant_key = NEW.grant_key AND authorized_on = NEW.day
      AND above_limits AND state = 'awaiting_payment' AND reserved_microcents = 0 AND price_microcents = taken) THEN
    RAISE EXCEPTION '% passes a limit', NEW.grant_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
-- A reversal that proves wrong takes its room back even above the limits: the money is here.
CREATE TRIGGER grant_usage_keeps_limits BEFORE UPDATE ON grant_usage FOR EACH ROW
  WHEN (NEW.used_microcents > OLD.used_microcents
    AND current_setting('purchases.retakes_room', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION keep_grant_limits();
CREATE TRIGGER grant_usage_starts_in_limits BEFORE INSERT ON grant_usage FOR EACH ROW
  EXECUTE FUNCTION keep_grant_limits();

CREATE TABLE purchase_blocks (
  block_key TEXT PRIMARY KEY,
  account_key TEXT REFERENCES accounts ON DELETE RESTRICT ON UPDATE CASCADE,
  payer TEXT,
  cause TEXT NOT NULL,
  payment_key TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL,
  lifted_at TIMESTAMPTZ(3),
  lifted_by TEXT,
  lifted_because TEXT,
  -- A block names whom it keeps from buying and why; lifting it names who and why.
  CHECK (num_nonnulls(account_key, payer) = 1),
  CHECK (payer = lower(payer)),
  CHECK (cause IN ('payment_reversed', 'card_dispute', 'blocked_card', 'disowned_card', 'remedies')),
  CHECK ((cause = 'remedies') = (payment_key IS NULL)),
  CHECK (num_nulls(lifted_at, lifted_by, lifted_because) IN (0, 3)),
  CHECK (lifted_because <> '')
);
-- One open block for a cause. The same indexes find who is blocked.
CREATE UNIQUE INDEX purchase_blocks_account_open_key ON purchase_blocks (account_key, cause, payment_key)
  NULLS NOT DISTINCT WHERE lifted_at IS NULL AND account_key IS NOT NULL;
CREATE UNIQUE INDEX purchase_blocks_payer_open_key ON purchase_blocks (payer, cause, payment_key)
  NULLS NOT DISTINCT WHERE lifted_at IS NULL AND payer IS NOT NULL;
-- Counted on every page of the console.
CREATE INDEX purchase_blocks_open_idx ON purchase_blocks (created_at, block_key) WHERE lifted_at IS NULL;
CREATE INDEX purchase_blocks_payment_key_idx ON purchase_blocks (payment_key);
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

-- Who may look into the console.
CREATE TABLE operators (
  email TEXT PRIMARY KEY,
  role TEXT NOT NULL,
  granted_at TIMESTAMPTZ(3) NOT NULL,
  CHECK (role IN ('viewer', 'support', 'finance', 'admin')),
  CHECK (email = lower(email))
);


-- purchases/ -------------------------------------------------------------------------------------------------------

CREATE TABLE quotes (
  quote_key TEXT PRIMARY KEY,
  principal_key TEXT NOT NULL REFERENCES principals ON DELETE RESTRICT ON UPDATE CASCADE,
  account_key TEXT NOT NULL,
  service_key TEXT NOT NULL,
  contract_version TEXT NOT NULL,
  terms_version TEXT NOT NULL,
  -- The periods of these terms that hold for the job, whatever later terms say.
  pay_seconds INTEGER NOT NULL,
  execution_seconds INTEGER NOT NULL,
  review_seconds INTEGER NOT NULL,
  state TEXT NOT NULL,
  price_microcents BIGINT NOT NULL,
  max_price_microcents BIGINT NOT NULL,
  grant_digest TEXT NOT NULL REFERENCES grant_decisions ON DELETE RESTRICT ON UPDATE CASCADE,
  input_digest TEXT NOT NULL,
  input TEXT,
  evidence JSONB NOT NULL,
  planned_checks JSONB NOT NULL,
  forecast JSONB NOT NULL,
  digest TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  input_deleted_at TIMESTAMPTZ(3),
  buyer_is_producer BOOLEAN NOT NULL DEFAULT false,
  CHECK (state IN ('open', 'authorized', 'rejected')),
  CHECK (price_microcents > 0 AND price_microcents <= max_price_microcents),
  CHECK (least(pay_seconds, execution_seconds, review_seconds) > 0),
  -- Sealed content only, with the key that sealed it (server/kernel/seal.ts).
  CHECK (input ~ '^v2\.[0-9a-f]{16}\.')
);
CREATE INDEX quotes_account_key_created_at_idx ON quotes (account_key, created_at);
CREATE INDEX quotes_principal_key_created_at_idx ON quotes (principal_key, created_at);
-- What retention looks for: content that a purchase keeps, and content of quotes that nobody authorized.
CREATE INDEX quotes_kept_content_idx ON quotes (expires_at) WHERE input IS NOT NULL AND state = 'authorized';
CREATE INDEX quotes_dead_content_idx ON quotes (expires_at) WHERE input IS NOT NULL AND state <> 'authorized';
-- And quotes that nobody authorized, which go once nobody can ask about them.
CREATE INDEX quotes_dead_idx ON quotes (expires_at) WHERE state <> 'authorized';

-- Sealed content changes only to be sealed with another key that is in use.
CREATE FUNCTION is_resealed(old_text text, new_text text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT split_part(new_text, '.', 2) <> split_part(old_text, '.', 2) AND EXISTS (
    SELECT FROM secret_keys WHERE key_id = split_part(new_text, '.', 2) AND retired_at IS NULL)
$$;

-- A quote is frozen: its state moves, and its content can be deleted.
CREATE FUNCTION keep_quote_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (to_jsonb(NEW) - ARRAY['state', 'input', 'input_deleted_at'])
      IS DISTINCT FROM (to_jsonb(OLD) - ARRAY['state', 'input', 'input_deleted_at'])
    OR (NEW.input IS NOT NULL AND NEW.input IS DISTINCT FROM OLD.input
      AND (OLD.input IS NULL OR NOT is_resealed(OLD.input, NEW.input))) THEN
    RAISE EXCEPTION 'a quote is frozen';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER quotes_stay_frozen BEFORE UPDATE ON quotes FOR EACH ROW EXECUTE FUNCTION keep_quote_frozen();

CREATE FUNCTION keep_quote_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a quote that is % does not become %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER quotes_are_decided_once BEFORE UPDATE ON quotes FOR EACH ROW
  WHEN (OLD.state <> NEW.state AND OLD.state <> 'open') EXECUTE FUNCTION keep_quote_decided();

-- Content that is kept although nobody has paid for it, to limit it by buyer and by block of addresses.
CREATE TABLE unpaid_content (
  quote_key TEXT PRIMARY KEY REFERENCES quotes ON DELETE CASCADE ON UPDATE CASCADE,
  principal_key TEXT NOT NULL,
  origin TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  CONSTRAINT unpaid_content_has_bytes CHECK (bytes > 0)
);
CREATE INDEX unpaid_content_origin_idx ON unpaid_content (origin);
CREATE INDEX unpaid_content_principal_key_idx ON unpaid_content (principal_key);

CREATE TABLE jobs (
  job_key TEXT PRIMARY KEY,
  quote_key TEXT NOT NULL REFERENCES quotes ON DELETE RESTRICT ON UPDATE CASCADE,
  principal_key TEXT NOT NULL REFERENCES principals ON DELETE RESTRICT ON UPDATE CASCADE,
  account_key TEXT NOT NULL,
  grant_key TEXT NOT NULL REFERENCES grants ON DELETE RESTRICT ON UPDATE CASCADE,
  -- The decision that it was authorized, or last paid, under.
  grant_digest TEXT NOT NULL REFERENCES grant_decisions ON DELETE RESTRICT ON UPDATE CASCADE,
  state TEXT NOT NULL,
  payment_state TEXT NOT NULL,
  charge_state TEXT NOT NULL,
  review_state TEXT NOT NULL,
  price_microcents BIGINT NOT NULL,
  authorized_on DATE NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  updated_at TIMESTAMPTZ(3) NOT NULL,
  pay_by TIMESTAMPTZ(3) NOT NULL,
  collected_at TIMESTAMPTZ(3),
  deliver_by TIMESTAMPTZ(3),
  delivered_at TIMESTAMPTZ(3),
  review_by TIMESTAMPTZ(3),
  finalized_at TIMESTAMPTZ(3),
  fence INTEGER NOT NULL DEFAULT 0,
  lease_until TIMESTAMPTZ(3),
  taken_at TIMESTAMPTZ(3),
  stage TEXT NOT NULL,
  percent INTEGER NOT NULL DEFAULT 0,
  report_digest TEXT,
  failure TEXT,
  tries INTEGER NOT NULL DEFAULT 0,
  waived_because TEXT,
  ended_by TEXT,
  credit_only BOOLEAN NOT NULL DEFAULT false,
  above_limits BOOLEAN NOT NULL DEFAULT false,
  reserved_microcents BIGINT NOT NULL DEFAULT 0,
  last_rail TEXT,
  last_verdict TEXT,
  facet TEXT,
  CHECK (state IN ('awaiting_payment', 'queued', 'running', 'delivered', 'accepted', 'rechecking', 'redelivered',
    'waived', 'failed', 'canceled')),
  CHECK (payment_state IN ('none', 'requires_payer', 'processing', 'unknown', 'collected', 'refund_pending',
    'refunded', 'refund_failed', 'credited', 'disputed', 'reversed')),
  CHECK (charge_state IN ('none', 'held', 'final', 'waived')),
  CHECK (review_state IN ('not_open', 'open', 'accepted', 'disputed')),
  CHECK (waived_because IN ('second_dispute', 'recheck_failed', 'source_withdrawn', 'waived_by_operator',
    'payment_reversed')),
  CHECK (ended_by IS NULL OR ended_by IN ('buyer', 'operator') AND state IN ('canceled', 'failed')),
  CHECK (percent BETWEEN 0 AND 100),
  CHECK (tries >= 0),
  -- No work before a committed collection, no review without a report.
  CHECK (state IN ('awaiting_payment', 'canceled') OR collected_at IS NOT NULL),
  CHECK (state NOT IN ('delivered', 'accepted', 'rechecking', 'redelivered', 'waived') OR report_digest IS NOT NULL),
  -- Charge and review follow from the state.
  CHECK (charge_state = CASE state WHEN 'accepted' THEN 'final' WHEN 'waived' THEN 'waived'
    WHEN 'awaiting_payment' THEN 'none' WHEN 'failed' THEN 'none' WHEN 'canceled' THEN 'none' ELSE 'held' END),
  CHECK (CASE state WHEN 'accepted' THEN review_state = 'accepted'
    WHEN 'delivered' THEN review_state = 'open' WHEN 'redelivered' THEN review_state = 'open'
    WHEN 'rechecking' THEN review_state = 'disputed' WHEN 'waived' THEN review_state IN ('disputed', 'not_open')
    ELSE review_state = 'not_open' END),
  CHECK ((state = 'waived') = (waived_because IS NOT NULL)),
  CHECK (state NOT IN ('failed', 'canceled') OR charge_state = 'none'),
  CHECK ((state = 'waived') = (charge_state = 'waived')),
  -- A job holds all of its price of the grant's limits, or nothing.
  CHECK (reserved_microcents IN (0, price_microcents)),
  CHECK (NOT credit_only OR reserved_microcents = 0)
);
CREATE UNIQUE INDEX jobs_quote_key_key ON jobs (quote_key);
CREATE INDEX jobs_account_key_created_at_idx ON jobs (account_key, created_at);
CREATE INDEX jobs_principal_key_created_at_idx ON jobs (principal_key, created_at);
-- Lists of the console, by page.
CREATE INDEX jobs_created_at_job_key_idx ON jobs (created_at DESC, job_key DESC);
CREATE INDEX jobs_state_created_at_job_key_idx ON jobs (state, created_at DESC, job_key DESC);
CREATE INDEX jobs_facet_created_at_job_key_idx ON jobs (facet, created_at DESC, job_key DESC);
CREATE INDEX jobs_failed_idx ON jobs (created_at) WHERE state = 'failed';
CREATE INDEX jobs_waived_idx ON jobs (account_key, principal_key) WHERE state = 'waived';
-- What the sweep looks for stays small, whatever the number of purchases.
CREATE INDEX jobs_working_idx ON jobs (deliver_by) WHERE state IN ('queued', 'running', 'rechecking');
-- How long each account kept workers busy lately.
CREATE INDEX jobs_taken_at_idx ON jobs (taken_at);
CREATE INDEX jobs_unpaid_idx ON jobs (pay_by) WHERE state = 'awaiting_payment';
CREATE INDEX jobs_to_review_idx ON jobs (review_by) WHERE state IN ('delivered', 'redelivered');
CREATE INDEX jobs_reserved_idx ON jobs (principal_key) WHERE state = 'awaiting_payment';
CREATE INDEX jobs_ended_room_idx ON jobs (job_key) WHERE ended_by = 'buyer' AND reserved_microcents > 0;
-- What counts against a buyer within a period.
CREATE INDEX jobs_remedied_idx ON jobs (account_key, finalized_at) WHERE state = 'waived' OR ended_by = 'buyer';

-- What lists filter purchases by, in one word: there are a few dozen of them, however many purchases.
CREATE FUNCTION job_facet(state text, payment_state text, review_state text, rail text, verdict text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT state || '.' || payment_state || '.' || review_state || '.' || coalesce(rail, '') || '.' || coalesce(verdict, '')
$$;
CREATE FUNCTION keep_job_facet() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.facet := job_facet(NEW.state, NEW.payment_state, NEW.review_state, NEW.last_rail, NEW.last_verdict);
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_keep_their_facet BEFORE INSERT OR UPDATE OF state, payment_state, review_state, last_rail, last_verdict ON jobs
  FOR EACH ROW EXECUTE FUNCTION keep_job_facet();

-- A job is for one authorized quote, at its price, for its buyer, on that buyer's grant; none of that changes.
CREATE FUNCTION keep_job_to_its_quote() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM quotes JOIN grants USING (principal_key)
  WHERE quote_key = NEW.quote_key AND quotes.state = 'authorized' AND principal_key = NEW.principal_key
    AND account_key = NEW.account_key AND price_microcents = NEW.price_microcents AND grant_key = NEW.grant_key;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% is not the job of its quote', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_keep_to_their_quote BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION keep_job_to_its_quote();
CREATE FUNCTION keep_job_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what % was authorized as does not change', OLD.job_key USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER jobs_stay_frozen BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN ((NEW.job_key, NEW.quote_key, NEW.principal_key, NEW.account_key, NEW.grant_key, NEW.price_microcents,
      NEW.authorized_on, NEW.created_at)
    IS DISTINCT FROM (OLD.job_key, OLD.quote_key, OLD.principal_key, OLD.account_key, OLD.grant_key,
      OLD.price_microcents, OLD.authorized_on, OLD.created_at)
    OR NEW.fence < OLD.fence
    OR (OLD.state <> 'awaiting_payment' AND NEW.grant_digest <> OLD.grant_digest)
    OR (OLD.collected_at IS NOT NULL AND NEW.collected_at IS DISTINCT FROM OLD.collected_at))
  EXECUTE FUNCTION keep_job_frozen();
CREATE TRIGGER jobs_keep_their_time_to_pay BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (NEW.pay_by <> OLD.pay_by) EXECUTE FUNCTION keep_job_frozen();

-- The life of a job. server/purchases/states.ts has the same table, and a test compares them.
CREATE FUNCTION job_may_go(state_from text, state_to text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT (state_from, state_to) IN (
    ('awaiting_payment', 'queued'), ('awaiting_payment', 'canceled'),
    ('queued', 'running'), ('queued', 'failed'), ('queued', 'canceled'),
    ('running', 'running'), ('running', 'delivered'), ('running', 'failed'), ('running', 'canceled'),
    ('delivered', 'accepted'), ('delivered', 'rechecking'), ('delivered', 'waived'),
    ('rechecking', 'rechecking'), ('rechecking', 'redelivered'), ('rechecking', 'waived'),
    ('redelivered', 'accepted'), ('redelivered', 'waived'), ('accepted', 'waived'))
$$;
CREATE FUNCTION keep_job_on_its_way() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT job_may_go(OLD.state, NEW.state) THEN
    RAISE EXCEPTION '% may not go from % to %', OLD.job_key, OLD.state, NEW.state USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_keep_their_way BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION keep_job_on_its_way();

-- No payment starts after the time to pay, swept or not. The instant is the request's, by the service's clock.
CREATE FUNCTION keep_job_paid_in_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the time to pay for % has passed', OLD.job_key USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER jobs_are_paid_in_time BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (OLD.state = 'awaiting_payment' AND OLD.payment_state = 'none' AND NEW.payment_state <> 'none'
    AND NEW.updated_at >= OLD.pay_by)
  EXECUTE FUNCTION keep_job_paid_in_time();

-- While a payment is open its money may arrive: the job must be there to take it.
CREATE FUNCTION keep_job_while_paying() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM payments WHERE job_key = NEW.job_key AND state IN ('settling', 'unknown');
  IF FOUND THEN
    RAISE EXCEPTION '% has an open payment', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_stay_while_paying BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (OLD.state = 'awaiting_payment' AND NEW.state = 'canceled') EXECUTE FUNCTION keep_job_while_paying();

-- `collected_at` alone is a claim; the payment is the fact.
CREATE FUNCTION keep_work_collected() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM payments WHERE job_key = NEW.job_key AND state = 'collected';
  IF NOT FOUND THEN
    RAISE EXCEPTION '% was not paid for', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_work_once_collected BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (OLD.collected_at IS NULL AND NEW.collected_at IS NOT NULL) EXECUTE FUNCTION keep_work_collected();

-- Room follows cash: it is free again once nobody will pay, credit has paid, or the money is back with its payer.
CREATE FUNCTION keep_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.credit_only AND NOT NEW.credit_only THEN
    RAISE EXCEPTION '% may take credit only', OLD.job_key USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.reserved_microcents < OLD.reserved_microcents
    AND NOT (NEW.state = 'canceled' AND NEW.collected_at IS NULL)
    AND NEW.payment_state NOT IN ('refunded', 'reversed')
    AND NOT EXISTS (SELECT FROM payments
      WHERE job_key = NEW.job_key AND state = 'collected' AND method = 'wallet_credit') THEN
    RAISE EXCEPTION '% keeps its room while its money is not back', OLD.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_keep_their_room BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN ((NEW.reserved_microcents, NEW.credit_only) IS DISTINCT FROM (OLD.reserved_microcents, OLD.credit_only))
  EXECUTE FUNCTION keep_room();

-- Content counts as unpaid until it is paid for or gone, however that came about.
CREATE FUNCTION count_no_longer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM unpaid_content WHERE quote_key = NEW.quote_key;
  RETURN NULL;
END $$;
CREATE TRIGGER content_is_paid_for AFTER UPDATE OF collected_at ON jobs FOR EACH ROW
  WHEN (OLD.collected_at IS NULL AND NEW.collected_at IS NOT NULL) EXECUTE FUNCTION count_no_longer();
CREATE TRIGGER content_is_gone AFTER UPDATE OF input ON quotes FOR EACH ROW
  WHEN (OLD.input IS NOT NULL AND NEW.input IS NULL) EXECUTE FUNCTION count_no_longer();

-- A purchase above what its agent may buy alone: a person says yes or no to this quote, once. A yes is used by the
-- authorization that it allows.
CREATE TABLE approvals (
  approval_key TEXT PRIMARY KEY,
  quote_key TEXT NOT NULL REFERENCES quotes ON DELETE RESTRICT ON UPDATE CASCADE,
  principal_key TEXT NOT NULL REFERENCES principals ON DELETE RESTRICT ON UPDATE CASCADE,
  account_key TEXT NOT NULL,
  state TEXT NOT NULL,
  above_limits BOOLEAN NOT NULL,
  asked_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  decided_at TIMESTAMPTZ(3),
  decided_by TEXT,
  used_at TIMESTAMPTZ(3),
  CHECK (state IN ('open', 'approved', 'declined', 'used', 'lapsed')),
  CHECK ((decided_at IS NULL) = (decided_by IS NULL)),
  CHECK (state = 'lapsed' OR (state = 'open') = (decided_at IS NULL)),
  CHECK ((state = 'used') = (used_at IS NOT NULL)),
  CHECK (decided_at < expires_at)
);
CREATE UNIQUE INDEX approvals_quote_key_key ON approvals (quote_key);
-- One question at a time.
CREATE UNIQUE INDEX approvals_open_key ON approvals (principal_key) WHERE state = 'open';
CREATE INDEX approvals_account_key_asked_at_idx ON approvals (account_key, asked_at);
-- A no stands, a yes is used once, and neither is moved to another quote.
CREATE FUNCTION keep_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is %', OLD.approval_key, OLD.state USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER approvals_stay_decided BEFORE UPDATE ON approvals FOR EACH ROW
  WHEN (OLD.state IN ('declined', 'used', 'lapsed') OR (OLD.state = 'approved' AND NEW.state = 'open')
    OR (OLD.state = 'open' AND NEW.state = 'used')
    OR (NEW.approval_key, NEW.quote_key, NEW.principal_key, NEW.account_key, NEW.above_limits, NEW.asked_at, NEW.expires_at)
      IS DISTINCT FROM (OLD.approval_key, OLD.quote_key, OLD.principal_key, OLD.account_key, OLD.above_limits,
        OLD.asked_at, OLD.expires_at))
  EXECUTE FUNCTION keep_approval();
CREATE TRIGGER approvals_stay BEFORE DELETE OR TRUNCATE ON approvals EXECUTE FUNCTION refuse_change();
-- No job above the limits without a yes to that.
CREATE FUNCTION keep_above_limits_approved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM approvals WHERE quote_key = NEW.quote_key AND above_limits
      AND state IN ('approved', 'used')) THEN
    RAISE EXCEPTION 'nobody let % pass the limits', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_above_limits_are_approved BEFORE INSERT OR UPDATE OF above_limits ON jobs FOR EACH ROW
  WHEN (NEW.above_limits) EXECUTE FUNCTION keep_above_limits_approved();

CREATE TABLE reports (
  job_key TEXT NOT NULL REFERENCES jobs ON DELETE RESTRICT ON UPDATE CASCADE,
  number INTEGER NOT NULL,
  body TEXT NOT NULL,
  digest TEXT NOT NULL,
  delivered_at TIMESTAMPTZ(3) NOT NULL,
  verdict TEXT,
  PRIMARY KEY (job_key, number),
  -- One correction is included.
  CHECK (number BETWEEN 1 AND 2)
);
CREATE INDEX reports_delivered_at_idx ON reports (delivered_at DESC);
CREATE TRIGGER reports_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON reports EXECUTE FUNCTION refuse_change();

-- Copies the verdict out of the body, for lists. Its key occurs once outside of quoted text.
CREATE FUNCTION note_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.verdict := (regexp_match(NEW.body, '"verdict":\s*"([a-z_]+)"'))[1];
  RETURN NEW;
END $$;
CREATE TRIGGER reports_note_verdict BEFORE INSERT ON reports FOR EACH ROW EXECUTE FUNCTION note_verdict();

-- A report is decided on once: by its buyer, or by an operator who waives the charge and says why.
CREATE TABLE reviews (
  review_key TEXT PRIMARY KEY,
  job_key TEXT NOT NULL REFERENCES jobs ON DELETE RESTRICT ON UPDATE CASCADE,
  report_number INTEGER NOT NULL,
  decision TEXT NOT NULL,
  reviewer TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  reason TEXT,
  CHECK (decision IN ('accept', 'dispute', 'waive')),
  CHECK (CASE decision
    WHEN 'accept' THEN reason IS NULL
    WHEN 'dispute' THEN reason IS NOT NULL AND reason IN ('check_not_performed', 'criteria_not_evaluated',
      'citation_invalid', 'report_incomplete', 'wrong_input_assessed', 'other')
    ELSE reason IS NOT NULL END)
);
CREATE UNIQUE INDEX reviews_job_key_report_number_key ON reviews (job_key, report_number);
CREATE INDEX reviews_at_idx ON reviews (at);
CREATE FUNCTION keep_review() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a review stands as it was given' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER reviews_stand BEFORE UPDATE OR DELETE ON reviews FOR EACH ROW EXECUTE FUNCTION keep_review();
CREATE TRIGGER reviews_stay BEFORE TRUNCATE ON reviews EXECUTE FUNCTION refuse_change();

-- What a reviewer wrote stands apart from the decision: it is content and can be deleted.
CREATE TABLE dispute_texts (
  review_key TEXT PRIMARY KEY REFERENCES reviews ON DELETE RESTRICT ON UPDATE CASCADE,
  texts TEXT NOT NULL,
  CHECK (texts ~ '^v2\.[0-9a-f]{16}\.')
);

CREATE TABLE receipts (
  receipt_key TEXT PRIMARY KEY,
  job_key TEXT NOT NULL REFERENCES jobs ON DELETE RESTRICT ON UPDATE CASCADE,
  sequence INTEGER NOT NULL,
  body TEXT NOT NULL,
  digest TEXT NOT NULL,
  issued_at TIMESTAMPTZ(3) NOT NULL
);
CREATE UNIQUE INDEX receipts_job_key_sequence_key ON receipts (job_key, sequence);
CREATE TRIGGER receipts_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON receipts EXECUTE FUNCTION refuse_change();

-- The receipts of a job are numbered from 1, and each names the one before.
CREATE FUNCTION keep_receipts_chained() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT sequence, digest INTO last FROM receipts WHERE job_key = NEW.job_key ORDER BY sequence DESC LIMIT 1;
  IF NEW.sequence <> coalesce(last.sequence, 0) + 1
    OR NEW.body::jsonb ->> 'previous_receipt_digest' IS DISTINCT FROM last.digest THEN
    RAISE EXCEPTION '% does not follow the last receipt of its job', NEW.receipt_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER receipts_are_chained BEFORE INSERT ON receipts FOR EACH ROW EXECUTE FUNCTION keep_receipts_chained();

-- The receipts of a job have one number for the books of the seller, in sequence for each seller and year without a
-- gap. A worker gives it soon after the first receipt, so that no purchase waits for another one's number.
CREATE TABLE receipt_numbers (
  job_key TEXT PRIMARY KEY REFERENCES jobs ON DELETE RESTRICT ON UPDATE CASCADE,
  account_key TEXT NOT NULL REFERENCES accounts ON DELETE RESTRICT ON UPDATE CASCADE,
  issued_at TIMESTAMPTZ(3) NOT NULL,
  seller TEXT,
  year INTEGER,
  number INTEGER,
  -- The seller as it was then: name, addresses, tax.
  details JSONB,
  CHECK (num_nulls(seller, year, number, details) IN (0, 4)),
  CHECK (year = extract(year FROM issued_at AT TIME ZONE 'UTC')),
  CHECK (number > 0)
);
CREATE UNIQUE INDEX receipt_numbers_seller_year_number_key ON receipt_numbers (seller, year, number);
CREATE INDEX receipt_numbers_account_key_issued_at_idx ON receipt_numbers (account_key, issued_at);
CREATE INDEX receipt_numbers_due_idx ON receipt_numbers (issued_at, job_key) WHERE number IS NULL;

CREATE FUNCTION await_receipt_number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO receipt_numbers (job_key, account_key, issued_at)
  SELECT job_key, account_key, NEW.issued_at FROM jobs WHERE job_key = NEW.job_key;
  RETURN NULL;
END $$;
CREATE TRIGGER receipts_get_a_number AFTER INSERT ON receipts FOR EACH ROW WHEN (NEW.sequence = 1)
  EXECUTE FUNCTION await_receipt_number();

CREATE FUNCTION keep_receipt_numbers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.number IS NOT NULL OR (NEW.job_key, NEW.account_key, NEW.issued_at)
    IS DISTINCT FROM (OLD.job_key, OLD.account_key, OLD.issued_at) THEN
    RAISE EXCEPTION 'a receipt keeps its number' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.number <> 1 + coalesce(
    (SELECT max(number) FROM receipt_numbers WHERE seller = NEW.seller AND year = NEW.year), 0) THEN
    RAISE EXCEPTION 'number % of % is not the next one', NEW.number, NEW.year USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER receipt_numbers_follow BEFORE UPDATE ON receipt_numbers FOR EACH ROW
  EXECUTE FUNCTION keep_receipt_numbers();
CREATE TRIGGER receipt_numbers_stay BEFORE DELETE OR TRUNCATE ON receipt_numbers EXECUTE FUNCTION refuse_change();

CREATE TABLE receipt_keys (
  kid TEXT PRIMARY KEY,
  public_jwk JSONB NOT NULL,
  valid_from TIMESTAMPTZ(3) NOT NULL,
  valid_to TIMESTAMPTZ(3),
  revoked_at TIMESTAMPTZ(3),
  revoked_because TEXT,
  CHECK (num_nulls(revoked_at, revoked_because) IN (0, 2)),
  CHECK (revoked_because <> ''),
  CHECK (revoked_at IS NULL OR valid_to <= revoked_at)
);
-- A key is published for good, and so is its revocation.
CREATE FUNCTION keep_receipt_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.kid, NEW.public_jwk, NEW.valid_from) IS DISTINCT FROM (OLD.kid, OLD.public_jwk, OLD.valid_from)
    OR (OLD.revoked_at IS NOT NULL
      AND (NEW.revoked_at, NEW.valid_to) IS DISTINCT FROM (OLD.revoked_at, OLD.valid_to)) THEN
    RAISE EXCEPTION 'the receipt key % stays as it was published', OLD.kid USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER receipt_keys_stay_published BEFORE UPDATE ON receipt_keys FOR EACH ROW
  EXECUTE FUNCTION keep_receipt_key();
CREATE TRIGGER receipt_keys_stay BEFORE DELETE OR TRUNCATE ON receipt_keys EXECUTE FUNCTION refuse_change();

-- Where an account is told of its events. Each has read the account's events up to its place and is told them in order;
-- whoever tells one next takes it by moving `next_try_at`.
CREATE TABLE webhook_endpoints (
  endpoint_key TEXT PRIMARY KEY,
  account_key TEXT NOT NULL REFERENCES accounts ON DELETE RESTRICT ON UPDATE CASCADE,
  url TEXT NOT NULL,
  secret TEXT,
  added_by TEXT NOT NULL REFERENCES members ON DELETE RESTRICT ON UPDATE CASCADE,
  added_at TIMESTAMPTZ(3) NOT NULL,
  removed_at TIMESTAMPTZ(3),
  told_transaction BIGINT NOT NULL,
  told_purchase TEXT NOT NULL,
  told_sequence INTEGER NOT NULL,
  told_at TIMESTAMPTZ(3),
  tries INTEGER NOT NULL DEFAULT 0,
  failing_since TIMESTAMPTZ(3),
  failure TEXT,
  next_try_at TIMESTAMPTZ(3) NOT NULL,
  warned_at TIMESTAMPTZ(3),
  CHECK (url ~ '^https://'),
  -- Sealed, and gone with the endpoint.
  CHECK (secret ~ '^v2\.[0-9a-f]{16}\.'),
  CHECK ((secret IS NULL) = (removed_at IS NOT NULL)),
  CHECK (tries >= 0),
  CHECK ((failing_since IS NULL) = (tries = 0))
);
CREATE UNIQUE INDEX webhook_endpoints_url_key ON webhook_endpoints (account_key, url) WHERE removed_at IS NULL;
CREATE INDEX webhook_endpoints_due_idx ON webhook_endpoints (next_try_at) WHERE removed_at IS NULL;


-- sources/ ---------------------------------------------------------------------------------------------------------

CREATE TABLE sources (
  source_key TEXT PRIMARY KEY,
  account_key TEXT NOT NULL REFERENCES accounts ON DELETE RESTRICT ON UPDATE CASCADE,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  text TEXT,
  digest TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  added_by TEXT NOT NULL REFERENCES members ON DELETE RESTRICT ON UPDATE CASCADE,
  added_at TIMESTAMPTZ(3) NOT NULL,
  removed_at TIMESTAMPTZ(3),
  CHECK (media_type IN ('text/plain', 'text/markdown')),
  CHECK (text ~ '^v2\.[0-9a-f]{16}\.'),
  CHECK (bytes BETWEEN 1 AND 32768),
  -- A document is there with its text, or removed without it.
  CHECK ((text IS NULL) = (removed_at IS NOT NULL))
);
-- A name leads to one document of an account. The same index finds the documents that are there.
CREATE UNIQUE INDEX sources_name_key ON sources (account_key, name) WHERE removed_at IS NULL;

-- A document never changes, so its key stands for its text; it can only be removed, with its text.
CREATE FUNCTION keep_source_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.removed_at IS NOT NULL
    OR (NEW.removed_at IS NULL AND NOT is_resealed(OLD.text, NEW.text))
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


-- mail/ ------------------------------------------------------------------------------------------------------------

CREATE TABLE letters (
  letter_key TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  address TEXT NOT NULL,
  about TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  sent_at TIMESTAMPTZ(3),
  origin TEXT,
  CHECK (kind IN ('registration', 'sign_in', 'notice', 'purchase', 'digest', 'important'))
);
CREATE UNIQUE INDEX letters_kind_about_address_key ON letters (kind, about, address);
CREATE INDEX letters_address_kind_created_at_idx ON letters (address, kind, created_at);

-- What the members of an account hear about, until a worker takes it. Written here, where the facts are, so that no
-- writer can leave one out. Accounts without members, such as wallets, have no readers.
CREATE TABLE due_letters (
  sequence BIGSERIAL PRIMARY KEY,
  account_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  number BIGINT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  due_at TIMESTAMPTZ(3) NOT NULL,
  CHECK (kind IN ('purchase', 'account', 'digest'))
);
CREATE UNIQUE INDEX due_letters_action_subject_number_key ON due_letters (action, subject, number);
CREATE INDEX due_letters_due_at_idx ON due_letters (due_at);

CREATE FUNCTION tell_of_purchase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO due_letters (account_key, kind, action, subject, number, at, due_at)
  SELECT j.account_key, 'purchase', told.action, j.job_key, NEW.sequence, NEW.at, told.due_at
  FROM jobs j, LATERAL (VALUES (NEW.action, NEW.at), ('review_ends', j.review_by - interval '24 hours')) AS told (action, due_at)
  WHERE j.quote_key = NEW.purchase_key AND (told.action <> 'review_ends' OR NEW.action IN ('deliver', 'redeliver'))
    AND EXISTS (SELECT FROM members m WHERE m.account_key = j.account_key)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_rows_are_told AFTER INSERT ON audit_rows FOR EACH ROW
  WHEN (NEW.action IN ('collect', 'deliver', 'redeliver', 'accept', 'fail', 'cancel', 'fail_recheck', 'dispute_again',
    'waive', 'refund', 'refunded', 'refund_failed', 'refund_sent_by_hand', 'refund_credited'))
  EXECUTE FUNCTION tell_of_purchase();

CREATE FUNCTION tell_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO due_letters (account_key, kind, action, subject, number, at, due_at)
  SELECT NEW.account_key, 'account', NEW.action, NEW.account_key, NEW.sequence, NEW.at, NEW.at
  WHERE EXISTS (SELECT FROM members m WHERE m.account_key = NEW.account_key)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER account_events_are_told AFTER INSERT ON account_events FOR EACH ROW
  WHEN (NEW.action IN ('agent_connected', 'grant_changed', 'release_allowed', 'purchases_blocked',
    'purchases_unblocked', 'card_removed', 'payments_disowned', 'approval_asked', 'member_joined', 'member_removed',
    'role_changed', 'endpoint_failing'))
  EXECUTE FUNCTION tell_of_account();


-- payments/ --------------------------------------------------------------------------------------------------------

CREATE TABLE payments (
  payment_key TEXT PRIMARY KEY,
  job_key TEXT NOT NULL REFERENCES jobs ON DELETE RESTRICT ON UPDATE CASCADE,
  rail TEXT NOT NULL,
  method TEXT NOT NULL,
  state TEXT NOT NULL,
  amount_microcents BIGINT NOT NULL,
  failure TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL,
  lease_until TIMESTAMPTZ(3) NOT NULL,
  decided_at TIMESTAMPTZ(3),
  reversed_at TIMESTAMPTZ(3),
  CHECK (method IN ('x402', 'wallet_credit', 'card_checkout', 'card_saved')),
  CHECK ((rail = 'card') = (method IN ('card_checkout', 'card_saved'))),
  CHECK (state IN ('settling', 'unknown', 'collected', 'failed')),
  CHECK (amount_microcents > 0),
  -- Credit is ours: no chain and no bank can take it back.
  CHECK (reversed_at IS NULL OR (state = 'collected' AND method <> 'wallet_credit'))
);
CREATE INDEX payments_job_key_idx ON payments (job_key);
-- A job has one payment that is open or collected.
CREATE UNIQUE INDEX payments_active_key ON payments (job_key) WHERE state IN ('settling', 'unknown', 'collected');
CREATE INDEX payments_open_idx ON payments (created_at) WHERE state IN ('settling', 'unknown');
-- Attempts to pay that failed are counted by when they did.
CREATE INDEX payments_failed_idx ON payments (decided_at, rail) WHERE state = 'failed';
ALTER TABLE purchase_blocks ADD FOREIGN KEY (payment_key) REFERENCES payments ON DELETE RESTRICT ON UPDATE CASCADE;

-- A payment keeps its job and its amount, and what was decided about it is not open again.
CREATE FUNCTION keep_payment_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what is known about % does not change', OLD.payment_key USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER payments_stay_decided BEFORE UPDATE ON payments FOR EACH ROW
  WHEN ((NEW.payment_key, NEW.job_key, NEW.rail, NEW.method, NEW.amount_microcents, NEW.created_at)
    IS DISTINCT FROM (OLD.payment_key, OLD.job_key, OLD.rail, OLD.method, OLD.amount_microcents, OLD.created_at)
    OR (OLD.state NOT IN ('settling', 'unknown') AND NEW.state IN ('settling', 'unknown'))
    OR (OLD.state = 'collected' AND NEW.state = 'failed'))
  EXECUTE FUNCTION keep_payment_decided();
CREATE TRIGGER payments_stay BEFORE DELETE OR TRUNCATE ON payments EXECUTE FUNCTION refuse_change();

-- No cash without room in the grant.
CREATE FUNCTION keep_cash_in_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM jobs WHERE job_key = NEW.job_key AND reserved_microcents = price_microcents;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% may take no cash: it has no room', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER payments_need_room BEFORE INSERT ON payments FOR EACH ROW
  WHEN (NEW.method <> 'wallet_credit') EXECUTE FUNCTION keep_cash_in_room();

CREATE TABLE reversals (
  payment_key TEXT NOT NULL REFERENCES payments ON DELETE RESTRICT ON UPDATE CASCADE,
  number INTEGER NOT NULL,
  job_payment_state TEXT NOT NULL,
  job_ended BOOLEAN NOT NULL,
  room_microcents BIGINT NOT NULL,
  books_account TEXT NOT NULL,
  reversed_at TIMESTAMPTZ(3) NOT NULL,
  healed_at TIMESTAMPTZ(3),
  PRIMARY KEY (payment_key, number)
);
CREATE UNIQUE INDEX reversals_open_key ON reversals (payment_key) WHERE healed_at IS NULL;
CREATE FUNCTION keep_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the reversal of % can only be healed, and once', OLD.payment_key USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER reversals_are_healed_once BEFORE UPDATE ON reversals FOR EACH ROW
  WHEN (OLD.healed_at IS NOT NULL OR (to_jsonb(NEW) - 'healed_at') IS DISTINCT FROM (to_jsonb(OLD) - 'healed_at'))
  EXECUTE FUNCTION keep_reversal();
CREATE TRIGGER reversals_stay BEFORE DELETE OR TRUNCATE ON reversals EXECUTE FUNCTION refuse_change();

CREATE TABLE reconciliation_differences (
  book TEXT NOT NULL,
  kind TEXT NOT NULL,
  object_id TEXT NOT NULL,
  ours TEXT,
  theirs TEXT,
  first_seen_at TIMESTAMPTZ(3) NOT NULL,
  last_seen_at TIMESTAMPTZ(3) NOT NULL,
  gone_at TIMESTAMPTZ(3),
  PRIMARY KEY (book, kind, object_id),
  CHECK (kind IN ('charge', 'refund', 'dispute', 'balance')),
  CHECK (ours IS DISTINCT FROM theirs),
  CHECK (last_seen_at >= first_seen_at)
);


-- payments/x402/ ---------------------------------------------------------------------------------------------------

CREATE TABLE searched_chains (
  network TEXT NOT NULL,
  address TEXT NOT NULL,
  opened_at BIGINT NOT NULL,
  searched_to BIGINT NOT NULL,
  head BIGINT NOT NULL,
  balance_microcents BIGINT,
  searched_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (network, address),
  CHECK (address = lower(address))
);

CREATE TABLE x402_transfers (
  payment_key TEXT PRIMARY KEY REFERENCES payments ON DELETE RESTRICT ON UPDATE CASCADE,
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  payer TEXT NOT NULL,
  pay_to TEXT NOT NULL,
  nonce TEXT NOT NULL,
  valid_after TIMESTAMPTZ(3) NOT NULL,
  valid_before TIMESTAMPTZ(3) NOT NULL,
  signature TEXT,
  seen_block BIGINT NOT NULL,
  watch_at TIMESTAMPTZ(3),
  missing_looks INTEGER NOT NULL DEFAULT 0,
  CHECK (payer = lower(payer) AND asset = lower(asset) AND nonce = lower(nonce) AND pay_to = lower(pay_to)),
  CHECK (seen_block >= 0)
);
CREATE UNIQUE INDEX x402_transfers_authorization_key ON x402_transfers (network, asset, payer, nonce);
CREATE INDEX x402_transfers_network_seen_block_idx ON x402_transfers (network, seen_block);
CREATE INDEX x402_transfers_payer_idx ON x402_transfers (payer);
CREATE INDEX x402_transfers_watched_idx ON x402_transfers (watch_at) WHERE watch_at IS NOT NULL;

-- What was signed stays as it was signed.
CREATE TRIGGER x402_transfers_stay_signed BEFORE UPDATE ON x402_transfers FOR EACH ROW
  WHEN ((NEW.payment_key, NEW.network, NEW.asset, NEW.payer, NEW.pay_to, NEW.nonce, NEW.valid_after, NEW.valid_before,
      NEW.seen_block)
    IS DISTINCT FROM (OLD.payment_key, OLD.network, OLD.asset, OLD.payer, OLD.pay_to, OLD.nonce, OLD.valid_after,
      OLD.valid_before, OLD.seen_block)
    OR (NEW.signature IS NOT NULL AND NEW.signature IS DISTINCT FROM OLD.signature))
  EXECUTE FUNCTION keep_payment_decided();
CREATE TRIGGER x402_transfers_stay BEFORE DELETE OR TRUNCATE ON x402_transfers EXECUTE FUNCTION refuse_change();

-- A log has one use: an arrival is unmatched until it is, once, a payment, late, or given back; what leaves is outgoing
-- until it is, once, a refund or a withdrawal.
CREATE TABLE chain_transfers (
  network TEXT NOT NULL,
  transaction TEXT NOT NULL,
  position INTEGER NOT NULL,
  asset TEXT NOT NULL,
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  amount_microcents BIGINT NOT NULL,
  nonce TEXT,
  refund_nonce TEXT,
  block_number BIGINT NOT NULL,
  block_hash TEXT NOT NULL,
  log_index INTEGER NOT NULL,
  use TEXT NOT NULL,
  payment_key TEXT REFERENCES x402_transfers ON DELETE SET NULL ON UPDATE CASCADE,
  refund_key TEXT,
  seen_at TIMESTAMPTZ(3) NOT NULL,
  removed_at TIMESTAMPTZ(3),
  moves INTEGER NOT NULL DEFAULT 0,
  is_superseded BOOLEAN NOT NULL DEFAULT false,
  PRIMARY KEY (network, transaction, "position"),
  CHECK (amount_microcents > 0),
  CHECK (sender <> recipient),
  CHECK (sender = lower(sender) AND recipient = lower(recipient) AND asset = lower(asset)
    AND transaction = lower(transaction) AND nonce = lower(nonce)),
  CHECK (use IN ('unmatched', 'payment', 'late', 'returned', 'outgoing', 'refund', 'withdrawal')),
  CHECK ((use IN ('unmatched', 'payment', 'late', 'returned')) = (refund_nonce IS NOT NULL)),
  CHECK ((use = 'payment') = (payment_key IS NOT NULL)),
  CHECK ((use = 'refund') = (refund_key IS NOT NULL)),
  CHECK (NOT is_superseded OR use IN ('payment', 'refund'))
);
CREATE INDEX chain_transfers_network_block_number_idx ON chain_transfers (network, block_number);
CREATE INDEX chain_transfers_network_nonce_idx ON chain_transfers (network, nonce);
CREATE INDEX chain_transfers_network_refund_nonce_idx ON chain_transfers (network, refund_nonce);
CREATE INDEX chain_transfers_payment_key_idx ON chain_transfers (payment_key);
CREATE INDEX chain_transfers_refund_key_idx ON chain_transfers (refund_key);
CREATE INDEX chain_transfers_transaction_idx ON chain_transfers (transaction);
-- A payment, or a refund, is one log of those that the chain holds.
CREATE UNIQUE INDEX chain_transfers_payment_present_key ON chain_transfers (payment_key)
  WHERE payment_key IS NOT NULL AND removed_at IS NULL;
CREATE UNIQUE INDEX chain_transfers_refund_present_key ON chain_transfers (refund_key)
  WHERE refund_key IS NOT NULL AND removed_at IS NULL;
CREATE INDEX chain_transfers_removed_idx ON chain_transfers (network, removed_at) WHERE removed_at IS NOT NULL;
CREATE INDEX chain_transfers_open_idx ON chain_transfers (seen_at) WHERE use IN ('unmatched', 'outgoing') OR is_superseded;

CREATE FUNCTION keep_transfer_open_at_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a transfer is first seen, then used' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER chain_transfers_start_open BEFORE INSERT ON chain_transfers FOR EACH ROW
  WHEN (NEW.use NOT IN ('unmatched', 'outgoing')) EXECUTE FUNCTION keep_transfer_open_at_first();
CREATE FUNCTION keep_transfer_used_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'position % of % is % for good', OLD.position, OLD.transaction, OLD.use
    USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER chain_transfers_are_used_once BEFORE UPDATE ON chain_transfers FOR EACH ROW
  WHEN ((NEW.use, NEW.payment_key, NEW.refund_key) IS DISTINCT FROM (OLD.use, OLD.payment_key, OLD.refund_key)
      AND NOT (OLD.use = 'unmatched' AND NEW.use IN ('payment', 'late', 'returned'))
      AND NOT (OLD.use = 'outgoing' AND NEW.use IN ('refund', 'withdrawal'))
    OR (NEW.network, NEW.transaction, NEW.position, NEW.asset, NEW.sender, NEW.recipient, NEW.amount_microcents,
        NEW.nonce, NEW.refund_nonce)
      IS DISTINCT FROM (OLD.network, OLD.transaction, OLD.position, OLD.asset, OLD.sender, OLD.recipient,
        OLD.amount_microcents, OLD.nonce, OLD.refund_nonce))
  EXECUTE FUNCTION keep_transfer_used_once();
CREATE TRIGGER chain_transfers_stay BEFORE DELETE OR TRUNCATE ON chain_transfers EXECUTE FUNCTION refuse_change();

-- A log pays only for what its authorization was signed for: the whole amount, from the payer, to the address that was
-- asked for. Signatures are public once settled, so a payer who is not the buying wallet counts only by a log that is
-- younger than the presentation.
CREATE FUNCTION keep_payment_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM x402_transfers x JOIN payments p USING (payment_key) JOIN jobs j USING (job_key)
  WHERE x.payment_key = NEW.payment_key AND p.amount_microcents = NEW.amount_microcents
    AND (x.network, x.asset, x.payer, x.pay_to, x.nonce)
      = (NEW.network, NEW.asset, NEW.sender, NEW.recipient, NEW.nonce)
    AND (p.state = 'collected' OR NEW.block_number > x.seen_block OR x.payer = j.principal_key);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'position % of % does not pay %', NEW.position, NEW.transaction, NEW.payment_key
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER chain_transfers_prove_payments BEFORE UPDATE ON chain_transfers FOR EACH ROW
  WHEN (NEW.use = 'payment' AND OLD.use <> 'payment') EXECUTE FUNCTION keep_payment_proven();
CREATE FUNCTION keep_collection_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM chain_transfers WHERE payment_key = NEW.payment_key AND use = 'payment' AND removed_at IS NULL;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no transfer pays %', NEW.payment_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER payments_are_proven BEFORE UPDATE ON payments FOR EACH ROW
  WHEN (NEW.method = 'x402' AND NEW.state = 'collected' AND OLD.state <> 'collected')
  EXECUTE FUNCTION keep_collection_proven();
CREATE TRIGGER payments_start_proven BEFORE INSERT ON payments FOR EACH ROW
  WHEN (NEW.method = 'x402' AND NEW.state = 'collected') EXECUTE FUNCTION keep_collection_proven();

-- A payment by transfer with all that the chain knows it by, and the transaction that holds it, or held it last.
CREATE VIEW x402_payments AS
SELECT p.payment_key, p.job_key, j.principal_key, p.state, p.amount_microcents, p.created_at, p.lease_until,
  p.decided_at, p.failure, p.reversed_at, x.network, x.asset, x.payer, x.pay_to, x.nonce, x.valid_after, x.valid_before,
  x.signature, x.seen_block, x.watch_at, x.missing_looks, (
    SELECT c.transaction FROM chain_transfers c WHERE c.payment_key = p.payment_key
    ORDER BY c.removed_at IS NOT NULL, c.is_superseded, c.seen_at DESC LIMIT 1) AS transaction
FROM payments p JOIN x402_transfers x USING (payment_key) JOIN jobs j USING (job_key);


-- payments/card/ ---------------------------------------------------------------------------------------------------

CREATE TABLE card_customers (
  account_key TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL
);
CREATE UNIQUE INDEX card_customers_customer_id_key ON card_customers (customer_id);

CREATE TABLE saved_cards (
  card_key TEXT PRIMARY KEY,
  account_key TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  method_id TEXT NOT NULL,
  brand TEXT NOT NULL,
  last4 TEXT NOT NULL,
  exp_month INTEGER NOT NULL,
  exp_year INTEGER NOT NULL,
  payer TEXT,
  saved_at TIMESTAMPTZ(3) NOT NULL,
  removed_at TIMESTAMPTZ(3),
  detached_at TIMESTAMPTZ(3),
  CHECK (payer LIKE 'card:%' AND payer = lower(payer))
);
CREATE UNIQUE INDEX saved_cards_method_id_key ON saved_cards (method_id);
CREATE INDEX saved_cards_account_key_idx ON saved_cards (account_key);
CREATE INDEX saved_cards_payer_idx ON saved_cards (payer);
-- Customers name their card by it.
CREATE INDEX saved_cards_last4_idx ON saved_cards (last4);

CREATE TABLE card_uses (
  card_key TEXT NOT NULL REFERENCES saved_cards ON DELETE RESTRICT ON UPDATE CASCADE,
  principal_key TEXT NOT NULL,
  payment_key TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (card_key, principal_key)
);

CREATE TABLE card_payments (
  payment_key TEXT PRIMARY KEY REFERENCES payments ON DELETE RESTRICT ON UPDATE CASCADE,
  idempotency_key TEXT NOT NULL,
  customer_id TEXT,
  card_key TEXT REFERENCES saved_cards ON DELETE SET NULL ON UPDATE CASCADE,
  intent_id TEXT,
  session_asked_at TIMESTAMPTZ(3),
  session_expires_at TIMESTAMPTZ(3),
  session_id TEXT,
  session_url TEXT,
  failed_calls INTEGER NOT NULL DEFAULT 0,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  look_at TIMESTAMPTZ(3),
  withdrawn_at TIMESTAMPTZ(3),
  decline_code TEXT,
  -- Of the newest charge that the bank refused on the page, where the payer may try again.
  declined_intent_id TEXT,
  declined_because TEXT,
  declined_at TIMESTAMPTZ(3),
  CHECK (num_nonnulls(declined_intent_id, declined_because, declined_at) IN (0, 3))
);
CREATE INDEX card_payments_declined_intent_id_idx ON card_payments (declined_intent_id);
CREATE UNIQUE INDEX card_payments_intent_id_key ON card_payments (intent_id);
CREATE UNIQUE INDEX card_payments_session_id_key ON card_payments (session_id);
CREATE INDEX card_payments_look_idx ON card_payments (look_at);
CREATE INDEX card_payments_card_key_idx ON card_payments (card_key) WHERE card_key IS NOT NULL;
CREATE TRIGGER card_payments_stay BEFORE DELETE OR TRUNCATE ON card_payments EXECUTE FUNCTION refuse_change();

-- A charge pays once for its payment, in full, or is late and goes back.
CREATE TABLE card_charges (
  intent_id TEXT PRIMARY KEY,
  payment_key TEXT NOT NULL REFERENCES payments ON DELETE RESTRICT ON UPDATE CASCADE,
  charge_id TEXT NOT NULL,
  amount_microcents BIGINT NOT NULL,
  fee_microcents BIGINT NOT NULL,
  use TEXT NOT NULL,
  payer TEXT,
  seen_at TIMESTAMPTZ(3) NOT NULL,
  CHECK (use IN ('payment', 'late')),
  CHECK (payer LIKE 'card:%' AND payer = lower(payer)),
  CHECK (amount_microcents > 0 AND fee_microcents >= 0)
);
CREATE UNIQUE INDEX card_charges_charge_id_key ON card_charges (charge_id);
CREATE INDEX card_charges_payment_key_idx ON card_charges (payment_key);
CREATE INDEX card_charges_payer_idx ON card_charges (payer);
CREATE UNIQUE INDEX card_charges_payment_use_key ON card_charges (payment_key) WHERE use = 'payment';
CREATE TRIGGER card_charges_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON card_charges EXECUTE FUNCTION refuse_change();

CREATE FUNCTION keep_charge_within_its_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM payments WHERE payment_key = NEW.payment_key AND rail = 'card'
    AND (NEW.use = 'late' OR (amount_microcents = NEW.amount_microcents AND state IN ('settling', 'unknown')));
  IF NOT FOUND THEN
    RAISE EXCEPTION '% does not pay %', NEW.intent_id, NEW.payment_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER card_charges_stay_within_their_payment BEFORE INSERT ON card_charges FOR EACH ROW
  EXECUTE FUNCTION keep_charge_within_its_payment();
CREATE FUNCTION keep_card_collection_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM card_charges WHERE payment_key = NEW.payment_key AND use = 'payment';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'no charge pays %', NEW.payment_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER card_payments_are_proven BEFORE UPDATE ON payments FOR EACH ROW
  WHEN (NEW.rail = 'card' AND NEW.state = 'collected' AND OLD.state <> 'collected')
  EXECUTE FUNCTION keep_card_collection_proven();
CREATE TRIGGER card_payments_start_proven BEFORE INSERT ON payments FOR EACH ROW
  WHEN (NEW.rail = 'card' AND NEW.state = 'collected') EXECUTE FUNCTION keep_card_collection_proven();

CREATE TABLE card_disputes (
  dispute_id TEXT PRIMARY KEY,
  payment_key TEXT NOT NULL REFERENCES payments ON DELETE RESTRICT ON UPDATE CASCADE,
  intent_id TEXT NOT NULL REFERENCES card_charges ON DELETE RESTRICT ON UPDATE CASCADE,
  job_payment_state TEXT,
  opened_at TIMESTAMPTZ(3) NOT NULL,
  told_at TIMESTAMPTZ(3),
  withdrawn_microcents BIGINT NOT NULL DEFAULT 0,
  fee_microcents BIGINT NOT NULL DEFAULT 0,
  closed_at TIMESTAMPTZ(3),
  outcome TEXT,
  movements INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  amount_microcents BIGINT,
  respond_by TIMESTAMPTZ(3),
  answered_at TIMESTAMPTZ(3),
  expensed_microcents BIGINT NOT NULL DEFAULT 0,
  CHECK (outcome IN ('won', 'lost')),
  CHECK ((outcome IS NULL) = (closed_at IS NULL)),
  CHECK (withdrawn_microcents >= 0 AND fee_microcents >= 0 AND expensed_microcents >= 0)
);
CREATE INDEX card_disputes_payment_key_idx ON card_disputes (payment_key);
CREATE INDEX card_disputes_open_idx ON card_disputes (respond_by) WHERE closed_at IS NULL;

CREATE TABLE card_events (
  event_id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  object_id TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  received_at TIMESTAMPTZ(3) NOT NULL,
  handled_at TIMESTAMPTZ(3),
  tries INTEGER NOT NULL DEFAULT 0,
  next_try_at TIMESTAMPTZ(3) NOT NULL,
  failure TEXT
);
CREATE INDEX card_events_open_idx ON card_events (next_try_at) WHERE handled_at IS NULL;
CREATE INDEX card_events_handled_idx ON card_events (handled_at) WHERE handled_at IS NOT NULL;
CREATE INDEX card_events_object_id_idx ON card_events (object_id);
CREATE INDEX card_events_received_at_event_id_idx ON card_events (received_at DESC, event_id DESC);
CREATE TRIGGER card_events_stay BEFORE TRUNCATE ON card_events EXECUTE FUNCTION refuse_change();

CREATE TABLE card_searches (
  list TEXT PRIMARY KEY,
  searched_to TIMESTAMPTZ(3) NOT NULL,
  searched_at TIMESTAMPTZ(3) NOT NULL,
  balance_microcents BIGINT,
  ledger_microcents BIGINT
);


-- payments/: refunds, once both rails are there --------------------------------------------------------------------

-- A refund gives back one arrival: a transfer, or a charge.
CREATE TABLE refunds (
  refund_key TEXT PRIMARY KEY,
  payment_key TEXT REFERENCES payments ON DELETE SET NULL ON UPDATE CASCADE,
  job_key TEXT REFERENCES jobs ON DELETE SET NULL ON UPDATE CASCADE,
  amount_microcents BIGINT NOT NULL,
  reason TEXT NOT NULL,
  state TEXT NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  next_try_at TIMESTAMPTZ(3) NOT NULL,
  valid_before TIMESTAMPTZ(3),
  failure TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL,
  decided_at TIMESTAMPTZ(3),
  dropped_at TIMESTAMPTZ(3),
  settled_at TIMESTAMPTZ(3),
  settled_as TEXT,
  settled_reference TEXT,
  network TEXT,
  arrival_transaction TEXT,
  arrival_position INTEGER,
  intent_id TEXT REFERENCES card_charges ON DELETE SET NULL ON UPDATE CASCADE,
  provider_refund_id TEXT,
  FOREIGN KEY (network, arrival_transaction, arrival_position) REFERENCES chain_transfers
    ON DELETE SET NULL ON UPDATE CASCADE,
  CHECK (state IN ('refund_pending', 'refunded', 'refund_failed')),
  CHECK (dropped_at IS NULL OR state = 'refund_failed'),
  -- An operator settles what failed: it is not owed any more, even if it leaves by itself all the same.
  CHECK (settled_as IN ('sent_by_hand', 'wallet_credit')),
  CHECK ((settled_as IS NULL) = (settled_at IS NULL)),
  CHECK ((settled_reference IS NOT NULL) = (settled_as IS NOT NULL AND settled_as = 'sent_by_hand')),
  CHECK (settled_at IS NULL OR dropped_at IS NOT NULL OR state = 'refunded'),
  CHECK (amount_microcents > 0),
  CHECK ((payment_key IS NULL) = (job_key IS NULL)),
  CHECK ((payment_key IS NULL) = (reason IN ('returned_by_operator', 'returned_before'))),
  CHECK (num_nonnulls(network, intent_id) = 1),
  CHECK (num_nonnulls(network, arrival_transaction, arrival_position) IN (0, 3)),
  CHECK (provider_refund_id IS NULL OR intent_id IS NOT NULL)
);
CREATE UNIQUE INDEX refunds_network_arrival_transaction_arrival_position_key
  ON refunds (network, arrival_transaction, arrival_position);
CREATE UNIQUE INDEX refunds_intent_key ON refunds (intent_id) WHERE intent_id IS NOT NULL;
CREATE UNIQUE INDEX refunds_provider_refund_id_key ON refunds (provider_refund_id);
CREATE INDEX refunds_job_key_idx ON refunds (job_key);
CREATE INDEX refunds_payment_key_idx ON refunds (payment_key);
CREATE INDEX refunds_pending_idx ON refunds (next_try_at) WHERE state = 'refund_pending';
CREATE INDEX refunds_failed_idx ON refunds (created_at) WHERE state = 'refund_failed' AND dropped_at IS NULL;
CREATE INDEX refunds_unsettled_idx ON refunds (created_at) WHERE state <> 'refunded' AND dropped_at IS NULL;
ALTER TABLE chain_transfers ADD FOREIGN KEY (refund_key) REFERENCES refunds ON DELETE SET NULL ON UPDATE CASCADE;
CREATE TRIGGER refunds_stay BEFORE DELETE OR TRUNCATE ON refunds EXECUTE FUNCTION refuse_change();
CREATE FUNCTION keep_refund_settled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is settled, once', OLD.refund_key USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER refunds_are_settled_once BEFORE UPDATE ON refunds FOR EACH ROW
  WHEN (OLD.settled_at IS NOT NULL AND (NEW.settled_at, NEW.settled_as, NEW.settled_reference)
    IS DISTINCT FROM (OLD.settled_at, OLD.settled_as, OLD.settled_reference))
  EXECUTE FUNCTION keep_refund_settled();

-- A refund gives back what arrived and no more: one refund for an arrival, after its use is known.
CREATE FUNCTION keep_refund_within_its_arrival() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.intent_id IS NOT NULL THEN
    PERFORM 1 FROM card_charges c
    WHERE c.intent_id = NEW.intent_id AND c.payment_key = NEW.payment_key
      AND c.amount_microcents = NEW.amount_microcents
      AND c.use = CASE WHEN NEW.reason = 'late_payment' THEN 'late' ELSE 'payment' END;
  ELSE
    PERFORM 1 FROM chain_transfers c
    WHERE (c.network, c.transaction, c.position) = (NEW.network, NEW.arrival_transaction, NEW.arrival_position)
      AND c.amount_microcents >= NEW.amount_microcents
      AND c.use = CASE WHEN NEW.payment_key IS NULL THEN 'returned' WHEN NEW.reason = 'late_payment' THEN 'late'
        ELSE 'payment' END
      AND (c.payment_key IS NULL OR c.payment_key = NEW.payment_key);
  END IF;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% gives back more than arrived', NEW.refund_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refunds_stay_within_their_arrival BEFORE INSERT OR UPDATE OF amount_microcents, network,
  arrival_transaction, arrival_position, payment_key, reason ON refunds FOR EACH ROW
  EXECUTE FUNCTION keep_refund_within_its_arrival();

-- What left is the refund that it is said to be: of that arrival, to its sender, in full, under its nonce.
CREATE FUNCTION keep_refund_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM refunds r JOIN chain_transfers arrival
    ON (arrival.network, arrival.transaction, arrival.position) = (r.network, r.arrival_transaction, r.arrival_position)
  WHERE r.refund_key = NEW.refund_key AND r.amount_microcents = NEW.amount_microcents
    AND (arrival.network, arrival.asset, arrival.sender, arrival.recipient, arrival.refund_nonce)
      = (NEW.network, NEW.asset, NEW.recipient, NEW.sender, NEW.nonce);
  IF NOT FOUND THEN
    RAISE EXCEPTION 'position % of % is not %', NEW.position, NEW.transaction, NEW.refund_key
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER chain_transfers_prove_refunds BEFORE UPDATE ON chain_transfers FOR EACH ROW
  WHEN (NEW.use = 'refund' AND OLD.use <> 'refund') EXECUTE FUNCTION keep_refund_proven();
-- By card the provider's refund is the proof.
CREATE FUNCTION keep_refund_done_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.intent_id IS NOT NULL AND NEW.provider_refund_id IS NOT NULL THEN
    RETURN NEW;
  END IF;
  PERFORM 1 FROM chain_transfers WHERE refund_key = NEW.refund_key AND use = 'refund';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'nothing carries % out', NEW.refund_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refunds_are_proven BEFORE UPDATE ON refunds FOR EACH ROW
  WHEN (NEW.state = 'refunded' AND OLD.state <> 'refunded') EXECUTE FUNCTION keep_refund_done_proven();
CREATE TRIGGER refunds_start_proven BEFORE INSERT ON refunds FOR EACH ROW
  WHEN (NEW.state = 'refunded') EXECUTE FUNCTION keep_refund_done_proven();


-- ledger/ ----------------------------------------------------------------------------------------------------------

CREATE TABLE ledger_transfers (
  event_key TEXT PRIMARY KEY,
  event TEXT NOT NULL,
  job_key TEXT,
  principal_key TEXT,
  debit_account TEXT NOT NULL,
  credit_account TEXT NOT NULL,
  amount_microcents BIGINT NOT NULL,
  currency TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  transaction BIGINT DEFAULT transaction_number(),
  CHECK (amount_microcents > 0),
  CHECK (currency = 'USD'),
  CHECK (debit_account <> credit_account),
  -- What arrives and leaves unasked belongs to no job, and is neither held, nor credit, nor revenue.
  CHECK ((job_key IS NULL) = (principal_key IS NULL)),
  CHECK (job_key IS NOT NULL OR NOT ('liability:held' IN (debit_account, credit_account)
    OR 'liability:wallet_credit' IN (debit_account, credit_account) OR 'revenue:work_check' = credit_account))
);
CREATE INDEX ledger_transfers_job_key_idx ON ledger_transfers (job_key);
CREATE INDEX ledger_transfers_at_idx ON ledger_transfers (at DESC);
CREATE INDEX ledger_transfers_debit_account_at_event_key_idx
  ON ledger_transfers (debit_account, at DESC, event_key DESC);
CREATE INDEX ledger_transfers_credit_account_at_event_key_idx
  ON ledger_transfers (credit_account, at DESC, event_key DESC);
-- Finds what was posted since the last closing.
CREATE INDEX ledger_transfers_transaction_idx ON ledger_transfers (transaction);
CREATE TRIGGER ledger_transfers_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transfers
  EXECUTE FUNCTION refuse_change();

-- What is held for a job, or owed back for it, is given away once. The lock on the job puts the givers in order.
CREATE FUNCTION keep_job_covered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  balance bigint;
BEGIN
  PERFORM 1 FROM jobs WHERE job_key = NEW.job_key FOR NO KEY UPDATE;
  SELECT coalesce(sum(CASE WHEN credit_account = NEW.debit_account THEN amount_microcents
    ELSE -amount_microcents END), 0)
  INTO balance FROM ledger_transfers
  WHERE job_key = NEW.job_key AND NEW.debit_account IN (debit_account, credit_account);
  IF balance < 0 THEN
    RAISE EXCEPTION '% gives more of % than % holds', NEW.event_key, NEW.debit_account, NEW.job_key
      USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_transfers_keep_job_covered AFTER INSERT ON ledger_transfers FOR EACH ROW
  WHEN (NEW.debit_account IN ('liability:held', 'liability:refunds') AND NEW.job_key IS NOT NULL)
  EXECUTE FUNCTION keep_job_covered();
-- An operator may give an accepted charge back, out of the revenue, and once.
CREATE TRIGGER ledger_transfers_keep_revenue_covered AFTER INSERT ON ledger_transfers FOR EACH ROW
  WHEN (NEW.debit_account = 'revenue:work_check' AND NEW.job_key IS NOT NULL) EXECUTE FUNCTION keep_job_covered();

-- The sums of the books before a transaction, so that a balance adds only what came since.
CREATE TABLE ledger_closings (
  account TEXT NOT NULL,
  to_transaction BIGINT NOT NULL,
  closed_at TIMESTAMPTZ(3) NOT NULL,
  debited_microcents BIGINT NOT NULL,
  credited_microcents BIGINT NOT NULL,
  entries BIGINT NOT NULL,
  PRIMARY KEY (to_transaction, account)
);

CREATE TABLE wallet_credits (
  principal_key TEXT PRIMARY KEY REFERENCES principals ON DELETE RESTRICT ON UPDATE CASCADE,
  balance_microcents BIGINT NOT NULL,
  CHECK (balance_microcents >= 0)
);

-- Credit is the balance of the books: only the trigger on their transfers writes it.
CREATE FUNCTION keep_wallet_credit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.credit_account = 'liability:wallet_credit' THEN
    INSERT INTO wallet_credits VALUES (NEW.principal_key, NEW.amount_microcents)
    ON CONFLICT (principal_key)
    DO UPDATE SET balance_microcents = wallet_credits.balance_microcents + excluded.balance_microcents;
  ELSE
    UPDATE wallet_credits SET balance_microcents = balance_microcents - NEW.amount_microcents
    WHERE principal_key = NEW.principal_key;
    IF NOT FOUND THEN
      RAISE EXCEPTION '% has no credit to spend', NEW.principal_key USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_transfers_keep_wallet_credit AFTER INSERT ON ledger_transfers FOR EACH ROW
  WHEN ('liability:wallet_credit' IN (NEW.debit_account, NEW.credit_account)) EXECUTE FUNCTION keep_wallet_credit();
CREATE FUNCTION keep_credit_to_the_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() < 2 THEN
    RAISE EXCEPTION 'wallet credit moves with the books' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER wallet_credits_move_with_the_books BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON wallet_credits
  EXECUTE FUNCTION keep_credit_to_the_books();


-- console/ ---------------------------------------------------------------------------------------------------------

CREATE TABLE operator_acts (
  subject TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  actor TEXT NOT NULL,
  role TEXT NOT NULL,
  action TEXT NOT NULL,
  reason TEXT NOT NULL,
  purchase_key TEXT,
  amount_microcents BIGINT,
  previous_hash TEXT,
  hash TEXT NOT NULL,
  transaction BIGINT DEFAULT transaction_number(),
  PRIMARY KEY (subject, sequence),
  CHECK (role IN ('viewer', 'support', 'finance', 'admin', 'command')),
  CHECK (reason <> '')
);
CREATE INDEX operator_acts_at_idx ON operator_acts (at DESC);
CREATE INDEX operator_acts_purchase_key_idx ON operator_acts (purchase_key);
CREATE INDEX operator_acts_transaction_idx ON operator_acts USING brin (transaction);
CREATE TRIGGER operator_acts_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_acts
  EXECUTE FUNCTION refuse_change();

-- The acts on one subject form a chain of hashes. A lock for each subject puts them in order.
CREATE FUNCTION operator_act_hash(act operator_acts) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(convert_to(jsonb_build_array(act.subject, act.sequence, extract(epoch FROM act.at), act.actor,
    act.role, act.action, act.reason, act.purchase_key, act.amount_microcents, act.previous_hash)::text, 'UTF8')), 'hex')
$$;
CREATE FUNCTION chain_operator_act() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('operator_acts:' || NEW.subject, 0));
  SELECT sequence, hash INTO last FROM operator_acts WHERE subject = NEW.subject ORDER BY sequence DESC LIMIT 1;
  NEW.sequence := coalesce(last.sequence, 0) + 1;
  NEW.previous_hash := last.hash;
  NEW.hash := operator_act_hash(NEW);
  RETURN NEW;
END $$;
CREATE TRIGGER operator_acts_are_chained BEFORE INSERT ON operator_acts FOR EACH ROW
  EXECUTE FUNCTION chain_operator_act();

-- A seal covers the audit rows of the transactions since the last seal, and stays.
CREATE TABLE audit_seals (
  number INTEGER PRIMARY KEY,
  sealed_at TIMESTAMPTZ(3) NOT NULL,
  from_transaction BIGINT NOT NULL,
  to_transaction BIGINT NOT NULL,
  rows INTEGER NOT NULL,
  previous_hash TEXT,
  hash TEXT NOT NULL,
  CHECK (from_transaction < to_transaction),
  CHECK (number > 0)
);
CREATE TRIGGER audit_seals_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals EXECUTE FUNCTION refuse_change();

CREATE TABLE operator_views (
  view_key TEXT PRIMARY KEY,
  operator TEXT NOT NULL,
  name TEXT NOT NULL,
  query TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL
);
CREATE UNIQUE INDEX operator_views_operator_name_key ON operator_views (operator, name);

CREATE TABLE finding_labels (
  job_key TEXT NOT NULL,
  report_number INTEGER NOT NULL,
  finding INTEGER NOT NULL,
  label TEXT NOT NULL,
  status TEXT NOT NULL,
  error TEXT,
  labeled_by TEXT NOT NULL,
  labeled_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (job_key, report_number, finding),
  FOREIGN KEY (job_key, report_number) REFERENCES reports ON DELETE RESTRICT ON UPDATE CASCADE,
  CHECK (label IN ('right', 'wrong')),
  CHECK (status IN ('met', 'partly_met', 'missing', 'contradicted', 'not_assessable')),
  CHECK (finding >= 0),
  -- Only a right finding names the error that it found.
  CHECK (error IS NULL OR label = 'right')
);
CREATE INDEX finding_labels_labeled_at_idx ON finding_labels (labeled_at DESC);

-- What happened in each hour, counted once, for the first screen.
CREATE TABLE hourly_figures (
  hour TIMESTAMPTZ(3) NOT NULL,
  figure TEXT NOT NULL,
  rail TEXT NOT NULL,
  label TEXT NOT NULL,
  count BIGINT NOT NULL,
  amount_microcents BIGINT NOT NULL,
  PRIMARY KEY (hour, figure, rail, label),
  CHECK (figure IN ('step', 'took', 'late', 'report', 'corrected', 'posted')),
  CHECK (count > 0),
  CHECK (amount_microcents >= 0),
  CHECK (hour = date_trunc('hour', hour, 'UTC'))
);

-- Up to where the hours are counted: one row, which whoever counts holds.
CREATE TABLE hours_counted (
  id INTEGER PRIMARY KEY DEFAULT 1,
  to_transaction BIGINT NOT NULL,
  counted_at TIMESTAMPTZ(3) NOT NULL,
  CHECK (id = 1)
);
INSERT INTO hours_counted (to_transaction, counted_at) VALUES (oldest_open_transaction(), now());
