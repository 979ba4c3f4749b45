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
