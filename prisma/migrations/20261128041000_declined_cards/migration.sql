-- no transaction
-- How many cards a bank refused on a page (server/payments/card/tried-cards.ts).
CREATE INDEX CONCURRENTLY IF NOT EXISTS card_events_declines_idx ON card_events (object_id) WHERE type = 'payment_intent.payment_failed';
