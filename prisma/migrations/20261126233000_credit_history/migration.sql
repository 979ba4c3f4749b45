-- What came into a buyer's credit and was spent of it.
CREATE INDEX ledger_transfers_credit_of_principal_idx ON ledger_transfers (principal_key, at DESC, event_key DESC)
  WHERE debit_account = 'liability:wallet_credit' OR credit_account = 'liability:wallet_credit';
