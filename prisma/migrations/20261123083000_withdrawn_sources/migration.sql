-- A re-check whose governed source the customer took away makes the report free, too: that is told apart, and counted.
ALTER TABLE jobs DROP CONSTRAINT jobs_waived_because_check,
  ADD CONSTRAINT jobs_waived_because_check CHECK (waived_because IN
    ('second_dispute', 'recheck_failed', 'source_withdrawn', 'waived_by_operator', 'payment_reversed'));
