-- no transaction
-- A bank may report a card payment as fraud before it disputes it: it goes back, and nothing more is bought with that card.
ALTER TABLE purchase_blocks DROP CONSTRAINT IF EXISTS purchase_blocks_cause_check;
ALTER TABLE purchase_blocks ADD CONSTRAINT purchase_blocks_cause_check CHECK (cause IN ('payment_reversed', 'card_dispute',
  'card_reported', 'blocked_card', 'disowned_card', 'remedies'));
ALTER TABLE jobs DROP CONSTRAINT IF EXISTS jobs_waived_because_check;
ALTER TABLE jobs ADD CONSTRAINT jobs_waived_because_check CHECK (waived_because IN ('second_dispute', 'recheck_failed',
  'source_withdrawn', 'assessor_unreachable', 'waived_by_operator', 'payment_reversed', 'payment_reported')) NOT VALID;
ALTER TABLE jobs VALIDATE CONSTRAINT jobs_waived_because_check;

-- The blocked card that an account used on a page: what blocks the account for it ends with the card's own block.
ALTER TABLE purchase_blocks ADD COLUMN IF NOT EXISTS behind_payer TEXT;

-- Whether the provider's page was asked for 3-D Secure; null before it was asked for.
ALTER TABLE card_payments ADD COLUMN IF NOT EXISTS asks_holder BOOLEAN;
