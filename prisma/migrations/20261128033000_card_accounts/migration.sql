-- The accounts at the card provider that this installation has sold over; the newest is the one that its key must be of.
CREATE TABLE card_accounts (
  account_id TEXT NOT NULL,
  since TIMESTAMPTZ(3) NOT NULL,
  because TEXT,
  CONSTRAINT card_accounts_pkey PRIMARY KEY (account_id)
);
