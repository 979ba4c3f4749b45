-- Which account at the card provider was charged; null until an installation knows its account.
ALTER TABLE card_charges ADD COLUMN account_id TEXT REFERENCES card_accounts ON DELETE SET NULL ON UPDATE CASCADE;
-- What the books took out of `asset:card` when this account gave way to another.
ALTER TABLE card_accounts ADD COLUMN left_microcents BIGINT;
