-- A bank may report a card payment as fraud before it disputes it: it goes back, and nothing more is bought with that card.
ALTER TABLE purchase_blocks DROP CONSTRAINT purchase_blocks_cause_check;
ALTER TABLE purchase_blocks ADD CONSTRAINT purchase_blocks_cause_check CHECK (cause IN ('payment_reversed', 'card_dispute',
  'card_reported', 'blocked_card', 'disowned_card', 'remedies'));
-- The next migration validates it.
ALTER TABLE jobs DROP CONSTRAINT jobs_waived_because_check;
ALTER TABLE jobs ADD CONSTRAINT jobs_waived_because_check CHECK (waived_because IN ('second_dispute', 'recheck_failed',
  'source_withdrawn', 'assessor_unreachable', 'waived_by_operator', 'payment_reversed', 'payment_reported')) NOT VALID;

-- The blocked card that an account used on a page: what blocks the account for it ends with the card's own block.
ALTER TABLE purchase_blocks ADD COLUMN behind_payer TEXT;

-- Whether the provider's page was asked for 3-D Secure; null before it was asked for.
ALTER TABLE card_payments ADD COLUMN asks_holder BOOLEAN;
