-- While a payment is open its money may arrive: the job must be there to take it.
CREATE FUNCTION keep_job_while_paying() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM payments WHERE job_key = NEW.job_key AND state IN ('settling', 'unknown');
  IF FOUND THEN
    RAISE EXCEPTION '% has an open payment', NEW.job_key USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_stay_while_paying BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (OLD.state = 'awaiting_payment' AND NEW.state = 'canceled') EXECUTE FUNCTION keep_job_while_paying();

-- A review stands as it was given (20261121200100), except that its texts go with the content.
DROP TRIGGER reviews_only_grow ON reviews;
CREATE TRIGGER reviews_stay BEFORE TRUNCATE ON reviews EXECUTE FUNCTION refuse_change();
