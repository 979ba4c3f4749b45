-- Which account at the card provider was charged; null until an installation knows its account.
ALTER TABLE card_charges ADD COLUMN account_id TEXT REFERENCES card_accounts ON DELETE SET NULL ON UPDATE CASCADE;
-- Of charges before, the account in use when they were seen.
ALTER TABLE card_charges DISABLE TRIGGER card_charges_stay;
UPDATE card_charges SET account_id = (
  SELECT account_id FROM card_accounts ORDER BY since <= seen_at DESC, CASE WHEN since <= seen_at THEN since END DESC, since LIMIT 1)
WHERE EXISTS (SELECT FROM card_accounts);
ALTER TABLE card_charges ENABLE TRIGGER card_charges_stay;
-- What the books took out of `asset:card` when this account gave way to another.
ALTER TABLE card_accounts ADD COLUMN left_microcents BIGINT;
