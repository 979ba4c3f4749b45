-- A re-check whose provider did not answer is no remedy that the buyer brought about.
ALTER TABLE jobs DROP CONSTRAINT jobs_waived_because_check;
ALTER TABLE jobs ADD CONSTRAINT jobs_waived_because_check CHECK (waived_because IN ('second_dispute', 'recheck_failed',
  'source_withdrawn', 'assessor_unreachable', 'waived_by_operator', 'payment_reversed'));
