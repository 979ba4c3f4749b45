-- An owner closed the account, for good: nobody joins it any more, and nothing buys for it.
ALTER TABLE accounts ADD COLUMN closed_at TIMESTAMPTZ(3), ADD COLUMN closed_by TEXT;
ALTER TABLE accounts ADD CHECK ((closed_at IS NULL) = (closed_by IS NULL));
CREATE INDEX accounts_closed_at_idx ON accounts (closed_at) WHERE closed_at IS NOT NULL;

CREATE FUNCTION keep_account_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is closed for good', OLD.account_key USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER accounts_stay_closed BEFORE UPDATE ON accounts FOR EACH ROW
  WHEN (OLD.closed_at IS NOT NULL AND (NEW.closed_at, NEW.closed_by) IS DISTINCT FROM (OLD.closed_at, OLD.closed_by))
  EXECUTE FUNCTION keep_account_closed();

-- Waits for whoever is closing the account, then looks.
CREATE FUNCTION refuse_in_closed_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM accounts WHERE account_key = NEW.account_key FOR SHARE;
  IF EXISTS (SELECT FROM accounts WHERE account_key = NEW.account_key AND closed_at IS NOT NULL) THEN
    RAISE EXCEPTION '% is closed', NEW.account_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER principals_join_open_accounts BEFORE INSERT ON principals FOR EACH ROW
  EXECUTE FUNCTION refuse_in_closed_account();
CREATE TRIGGER members_join_open_accounts BEFORE INSERT OR UPDATE OF removed_at ON members FOR EACH ROW
  WHEN (NEW.removed_at IS NULL) EXECUTE FUNCTION refuse_in_closed_account();

DROP TRIGGER account_events_are_told ON account_events;
CREATE TRIGGER account_events_are_told AFTER INSERT ON account_events FOR EACH ROW
  WHEN (NEW.action IN ('agent_connected', 'grant_changed', 'release_allowed', 'purchases_blocked',
    'purchases_unblocked', 'card_removed', 'payments_disowned', 'approval_asked', 'member_joined', 'member_removed',
    'role_changed', 'endpoint_failing', 'account_closed'))
  EXECUTE FUNCTION tell_of_account();
