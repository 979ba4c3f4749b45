-- CreateTable
CREATE TABLE "ledger_balances" (
    "account" TEXT NOT NULL,
    "balance_microcents" BIGINT NOT NULL,

    CONSTRAINT "ledger_balances_pkey" PRIMARY KEY ("account")
);

-- What the language of the schema cannot say.

-- The books of a chain are compared with it every minute. Summing all transfers for that would take longer each day.
CREATE FUNCTION keep_asset_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_balances
  SELECT account, amount FROM (VALUES (NEW.debit_account, NEW.amount_microcents),
    (NEW.credit_account, -NEW.amount_microcents)) AS moved (account, amount)
  WHERE account LIKE 'asset:%' ORDER BY account
  ON CONFLICT (account)
  DO UPDATE SET balance_microcents = ledger_balances.balance_microcents + excluded.balance_microcents;
  RETURN NULL;
END $$;
-- Deferred: whoever posts holds the row of its account for no longer than a commit takes.
CREATE CONSTRAINT TRIGGER ledger_transfers_keep_asset_balance AFTER INSERT ON ledger_transfers
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.debit_account LIKE 'asset:%' OR NEW.credit_account LIKE 'asset:%') EXECUTE FUNCTION keep_asset_balance();

INSERT INTO ledger_balances
SELECT account, sum(amount) FROM (
  SELECT debit_account AS account, amount_microcents AS amount FROM ledger_transfers WHERE debit_account LIKE 'asset:%'
  UNION ALL
  SELECT credit_account, -amount_microcents FROM ledger_transfers WHERE credit_account LIKE 'asset:%') moved
GROUP BY account;

CREATE FUNCTION keep_balances_to_the_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() < 2 THEN
    RAISE EXCEPTION 'balances move with the books' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_balances_move_with_the_books BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON ledger_balances
  EXECUTE FUNCTION keep_balances_to_the_books();
