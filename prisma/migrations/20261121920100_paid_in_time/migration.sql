-- Nobody pays for a job once its time to pay has passed, whether or not a sweep has canceled it by then. The instant is
-- that of the request, from the service's clock.
CREATE FUNCTION keep_job_paid_in_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the time to pay for % has passed', OLD.job_key USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER jobs_are_paid_in_time BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (OLD.state = 'awaiting_payment' AND OLD.payment_state = 'none' AND NEW.payment_state <> 'none'
    AND NEW.updated_at >= OLD.pay_by)
  EXECUTE FUNCTION keep_job_paid_in_time();

-- Nor does anybody move that time.
CREATE TRIGGER jobs_keep_their_time_to_pay BEFORE UPDATE ON jobs FOR EACH ROW
  WHEN (NEW.pay_by <> OLD.pay_by) EXECUTE FUNCTION keep_job_frozen();
