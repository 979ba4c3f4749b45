-- AlterTable
ALTER TABLE "jobs" ADD COLUMN "credit_only" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "reserved_microcents" BIGINT NOT NULL DEFAULT 0;



-- What a job took of its grant stands on the job: all of its price, or nothing.
ALTER TABLE "jobs"
  ADD CHECK (reserved_microcents IN (0, price_microcents)),
  ADD CHECK (NOT credit_only OR reserved_microcents = 0);

-- Room follows cash (interface.md 5). It is free again once nobody will pay, credit has paid, or the money is back with
-- its payer; and a job that may take credit alone stays one.
CREATE FUNCTION keep_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.credit_only AND NOT NEW.credit_only THEN
    RAISE EXCEPTION '% may take credit only', OLD.job_key USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.reserved_microcents < OLD.reserved_microcents
    AND NOT (NEW.state = 'canceled' AND NEW.collected_at IS NULL)
    AND NEW.payment_state NOT IN ('refunded', 'reversed')
    AND NOT EXISTS (SELECT FROM payments
      WHERE job_key = NEW.job_key AND state = 'collected' AND method = 'wallet_credit') THEN
    RAISE EXCEPTION '% keeps its room while its money is not back', OLD.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_keep_their_room BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN ((NEW.reserved_microcents, NEW.credit_only) IS DISTINCT FROM (OLD.reserved_microcents, OLD.credit_only))
  EXECUTE FUNCTION keep_room();

-- No cash without room.
CREATE FUNCTION keep_cash_in_room() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM jobs WHERE job_key = NEW.job_key AND reserved_microcents = price_microcents;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% may take no cash: it has no room', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER payments_need_room BEFORE INSERT ON payments FOR EACH ROW
  WHEN (NEW.method <> 'wallet_credit') EXECUTE FUNCTION keep_cash_in_room();

-- A grant is never used beyond its limits. A total limit spans the counters of all days, so who takes of it has the
-- grant to itself: two days meet at midnight.
CREATE OR REPLACE FUNCTION keep_grant_limits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  limits record;
  taken bigint := NEW.used_microcents;
  other_days bigint := 0;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    taken := NEW.used_microcents - OLD.used_microcents;
  END IF;
  PERFORM 1 FROM grants WHERE grant_key = NEW.grant_key AND total_limit_microcents IS NOT NULL FOR NO KEY UPDATE;
  SELECT per_job_limit_microcents AS per_job, daily_limit_microcents AS daily, total_limit_microcents AS total
  INTO limits FROM grants WHERE grant_key = NEW.grant_key;
  IF limits.total IS NOT NULL THEN
    SELECT coalesce(sum(used_microcents), 0) INTO other_days FROM grant_usage
    WHERE grant_key = NEW.grant_key AND day <> NEW.day;
  END IF;
  IF taken > limits.per_job OR NEW.used_microcents > limits.daily
    OR other_days + NEW.used_microcents > limits.total THEN
    RAISE EXCEPTION '% passes a limit', NEW.grant_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
