-- Rules that money depends on, held here too: whatever the code forgets, the row is refused.

-- What was decided once stays as it was decided.
CREATE TRIGGER reviews_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON reviews EXECUTE FUNCTION refuse_change();

-- An answer that was given is given again as it was, byte for byte; a claim names one request for good.
CREATE FUNCTION keep_answers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status IS NOT NULL OR NEW.fingerprint <> OLD.fingerprint THEN
    RAISE EXCEPTION 'an answer is kept as it was given' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER idempotency_claims_keep_answers BEFORE UPDATE ON idempotency_claims FOR EACH ROW
  EXECUTE FUNCTION keep_answers();
ALTER TABLE "idempotency_claims"
  ADD CHECK (status BETWEEN 200 AND 299 OR status IN (400, 410, 422)),
  ADD CHECK ((status IS NULL) = (answered_at IS NULL));

-- Only a keyed hash of a token is kept: a token in clear does not have its shape.
ALTER TABLE "credentials" ADD CHECK (token_hash ~ '^[0-9A-Za-z_-]{43}$');

-- A quote is accepted or rejected once, while it is open.
CREATE FUNCTION keep_quote_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a quote that is % does not become %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER quotes_are_decided_once BEFORE UPDATE ON quotes FOR EACH ROW
  WHEN (OLD.state <> NEW.state AND OLD.state <> 'open') EXECUTE FUNCTION keep_quote_decided();

-- A job is for one quote, at its price, for whoever asked for the quote, on that buyer's grant.
CREATE FUNCTION keep_job_to_its_quote() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM quotes JOIN grants USING (principal_key)
  WHERE quote_key = NEW.quote_key AND quotes.state = 'authorized' AND principal_key = NEW.principal_key
    AND account_key = NEW.account_key AND price_microcents = NEW.price_microcents AND grant_key = NEW.grant_key;
  IF NOT FOUND THEN
    RAISE EXCEPTION '% is not the job of its quote', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_keep_to_their_quote BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION keep_job_to_its_quote();

CREATE FUNCTION keep_job_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what % was authorized as does not change', OLD.job_key USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER jobs_stay_frozen BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN ((NEW.job_key, NEW.quote_key, NEW.principal_key, NEW.account_key, NEW.grant_key, NEW.price_microcents,
      NEW.authorized_on, NEW.created_at)
    IS DISTINCT FROM (OLD.job_key, OLD.quote_key, OLD.principal_key, OLD.account_key, OLD.grant_key,
      OLD.price_microcents, OLD.authorized_on, OLD.created_at)
    OR NEW.fence < OLD.fence
    OR (OLD.collected_at IS NOT NULL AND NEW.collected_at IS DISTINCT FROM OLD.collected_at))
  EXECUTE FUNCTION keep_job_frozen();

-- No work before a collection: `collected_at` alone is a claim, the payment is the fact.
CREATE FUNCTION keep_work_collected() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM payments WHERE job_key = NEW.job_key AND state = 'collected';
  IF NOT FOUND THEN
    RAISE EXCEPTION '% was not paid for', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_work_once_collected BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (OLD.collected_at IS NULL AND NEW.collected_at IS NOT NULL) EXECUTE FUNCTION keep_work_collected();
ALTER TABLE "jobs"
  ADD CHECK (state NOT IN ('failed', 'canceled') OR charge_state = 'none'),
  ADD CHECK ((state = 'waived') = (charge_state = 'waived'));

-- A payment is for one job, of one amount, by one signature; what was decided about it is not open again.
CREATE FUNCTION keep_payment_decided() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'what is known about % does not change', OLD.payment_key USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER payments_stay_decided BEFORE UPDATE ON payments FOR EACH ROW
  WHEN ((NEW.payment_key, NEW.job_key, NEW.rail, NEW.method, NEW.amount_microcents, NEW.network, NEW.asset, NEW.payer,
      NEW.nonce, NEW.pay_to, NEW.created_at)
    IS DISTINCT FROM (OLD.payment_key, OLD.job_key, OLD.rail, OLD.method, OLD.amount_microcents, OLD.network,
      OLD.asset, OLD.payer, OLD.nonce, OLD.pay_to, OLD.created_at)
    OR (OLD.state NOT IN ('settling', 'unknown') AND NEW.state IN ('settling', 'unknown'))
    OR (OLD.state = 'collected' AND NEW.state = 'failed'))
  EXECUTE FUNCTION keep_payment_decided();
CREATE TRIGGER payments_stay BEFORE DELETE OR TRUNCATE ON payments EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refunds_stay BEFORE DELETE OR TRUNCATE ON refunds EXECUTE FUNCTION refuse_change();

-- A grant is never used beyond its limits: not per job, not for the day, not in total. A limit that was lowered below
-- what is used already holds for what comes next.
CREATE FUNCTION keep_grant_limits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  limits record;
  taken bigint := NEW.used_microcents;
  other_days bigint := 0;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    taken := NEW.used_microcents - OLD.used_microcents;
  END IF;
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
CREATE TRIGGER grant_usage_keeps_limits BEFORE UPDATE ON grant_usage FOR EACH ROW
  WHEN (NEW.used_microcents > OLD.used_microcents) EXECUTE FUNCTION keep_grant_limits();
CREATE TRIGGER grant_usage_starts_in_limits BEFORE INSERT ON grant_usage FOR EACH ROW
  EXECUTE FUNCTION keep_grant_limits();
CREATE TRIGGER grant_usage_stays BEFORE DELETE OR TRUNCATE ON grant_usage EXECUTE FUNCTION refuse_change();

-- Credit moves with the books or not at all: only the trigger on their transfers writes it.
CREATE FUNCTION keep_credit_to_the_books() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF pg_trigger_depth() < 2 THEN
    RAISE EXCEPTION 'wallet credit moves with the books' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER wallet_credits_move_with_the_books BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON wallet_credits
  EXECUTE FUNCTION keep_credit_to_the_books();

-- Receipts of a job are numbered from 1, each naming the one before.
CREATE FUNCTION keep_receipts_chained() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  SELECT sequence, digest INTO last FROM receipts WHERE job_key = NEW.job_key ORDER BY sequence DESC LIMIT 1;
  IF NEW.sequence <> coalesce(last.sequence, 0) + 1
    OR NEW.body::jsonb ->> 'previous_receipt_digest' IS DISTINCT FROM last.digest THEN
    RAISE EXCEPTION '% does not follow the last receipt of its job', NEW.receipt_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER receipts_are_chained BEFORE INSERT ON receipts FOR EACH ROW EXECUTE FUNCTION keep_receipts_chained();
