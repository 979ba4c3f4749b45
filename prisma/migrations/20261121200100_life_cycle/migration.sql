-- AlterTable
ALTER TABLE "jobs" ADD COLUMN "tries" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "waived_because" TEXT;

-- AlterTable
ALTER TABLE "quotes" ADD COLUMN "buyer_is_producer" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "reviews" ADD COLUMN "correction_request" TEXT,
ADD COLUMN "detail" TEXT,
ADD COLUMN "reason" TEXT;



-- What came before: who declared itself the producer stands in the content, and every take was a try.

ALTER TABLE "quotes" DISABLE TRIGGER quotes_stay_frozen;
UPDATE quotes SET buyer_is_producer = true
WHERE principal_key IN (input::jsonb -> 'producer' ->> 'agent_key', lower(input::jsonb -> 'producer' ->> 'wallet'));
ALTER TABLE "quotes" ENABLE TRIGGER quotes_stay_frozen;
UPDATE jobs SET tries = fence;

-- The life of a job. The same table stands in server/purchases/states.ts, and a test compares them.

CREATE FUNCTION job_may_go(state_from text, state_to text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT (state_from, state_to) IN (
    ('awaiting_payment', 'queued'), ('awaiting_payment', 'canceled'),
    ('queued', 'running'), ('queued', 'failed'), ('queued', 'canceled'),
    ('running', 'running'), ('running', 'delivered'), ('running', 'failed'), ('running', 'canceled'),
    ('delivered', 'accepted'), ('delivered', 'rechecking'), ('delivered', 'waived'),
    ('rechecking', 'rechecking'), ('rechecking', 'redelivered'), ('rechecking', 'waived'),
    ('redelivered', 'accepted'), ('redelivered', 'waived'))
$$;
CREATE FUNCTION keep_job_on_its_way() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT job_may_go(OLD.state, NEW.state) THEN
    RAISE EXCEPTION '% may not go from % to %', OLD.job_key, OLD.state, NEW.state USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_keep_their_way BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION keep_job_on_its_way();

-- Charge and review follow from the state of the job.
ALTER TABLE "jobs" DROP CONSTRAINT "jobs_check1", DROP CONSTRAINT "jobs_check2";
ALTER TABLE "jobs"
  ADD CHECK (state NOT IN ('delivered', 'accepted', 'rechecking', 'redelivered', 'waived')
    OR report_digest IS NOT NULL),
  ADD CHECK (charge_state = CASE state WHEN 'accepted' THEN 'final' WHEN 'waived' THEN 'waived'
    WHEN 'awaiting_payment' THEN 'none' WHEN 'failed' THEN 'none' WHEN 'canceled' THEN 'none' ELSE 'held' END),
  ADD CHECK (CASE state WHEN 'accepted' THEN review_state = 'accepted'
    WHEN 'delivered' THEN review_state = 'open' WHEN 'redelivered' THEN review_state = 'open'
    WHEN 'rechecking' THEN review_state = 'disputed' WHEN 'waived' THEN review_state IN ('disputed', 'not_open')
    ELSE review_state = 'not_open' END),
  ADD CHECK ((state = 'waived') = (waived_because IS NOT NULL)),
  ADD CHECK (waived_because IN ('second_dispute', 'recheck_failed', 'waived_by_operator')),
  ADD CHECK (tries >= 0);

-- One correction is included.
ALTER TABLE "reports" ADD CHECK (number BETWEEN 1 AND 2);

-- A report is decided on once: by its buyer, or by an operator who waives the charge and says why.
ALTER TABLE "reviews"
  ADD CHECK (decision IN ('accept', 'dispute', 'waive')),
  ADD CHECK (CASE decision
    WHEN 'dispute' THEN reason IS NOT NULL AND reason IN ('check_not_performed', 'criteria_not_evaluated',
      'citation_invalid', 'report_incomplete', 'wrong_input_assessed', 'other')
    WHEN 'waive' THEN reason IS NOT NULL AND num_nonnulls(detail, correction_request) = 0
    ELSE num_nonnulls(reason, detail, correction_request) = 0 END);
CREATE FUNCTION keep_review() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.detail IS NULL AND NEW.correction_request IS NULL
    AND (to_jsonb(NEW) - ARRAY['detail', 'correction_request'])
      IS NOT DISTINCT FROM (to_jsonb(OLD) - ARRAY['detail', 'correction_request']) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'a review stands as it was given; only its texts can be deleted';
END $$;
CREATE TRIGGER reviews_stand BEFORE UPDATE OR DELETE ON reviews FOR EACH ROW EXECUTE FUNCTION keep_review();

DROP INDEX "jobs_working_idx";
CREATE INDEX "jobs_working_idx" ON "jobs" (deliver_by) WHERE state IN ('queued', 'running', 'rechecking');
