-- no transaction
create index concurrently if not exists jobs_to_review_idx on jobs (review_by) where state in ('delivered', 'redelivered');
