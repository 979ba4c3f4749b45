-- no transaction
create index concurrently if not exists card_events_handled_idx on card_events (handled_at) where handled_at is not null;
