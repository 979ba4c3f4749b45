-- no transaction
create index concurrently if not exists refunds_failed_idx on refunds (created_at) where state = 'refund_failed';
