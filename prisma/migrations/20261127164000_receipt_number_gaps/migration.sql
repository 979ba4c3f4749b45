-- After a restore, numbers that the books no longer know are with customers. They are left out, with the reason.
CREATE TABLE receipt_number_gaps (
  seller TEXT NOT NULL,
  year INTEGER NOT NULL,
  first_number INTEGER NOT NULL,
  last_number INTEGER NOT NULL,
  reason TEXT NOT NULL,
  noted_at TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (seller, year, first_number),
  CHECK (first_number > 0 AND last_number >= first_number),
  CHECK (reason <> '')
);
CREATE TRIGGER receipt_number_gaps_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON receipt_number_gaps
  EXECUTE FUNCTION refuse_change();

-- The number behind all that were given or left out.
CREATE FUNCTION next_receipt_number(of_seller text, of_year integer) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT 1 + greatest(0,
    (SELECT max(number) FROM receipt_numbers WHERE seller = of_seller AND year = of_year),
    (SELECT max(last_number) FROM receipt_number_gaps WHERE seller = of_seller AND year = of_year))
$$;

CREATE OR REPLACE FUNCTION keep_receipt_numbers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.number IS NOT NULL OR (NEW.job_key, NEW.account_key, NEW.issued_at)
    IS DISTINCT FROM (OLD.job_key, OLD.account_key, OLD.issued_at) THEN
    RAISE EXCEPTION 'a receipt keeps its number' USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.number <> next_receipt_number(NEW.seller, NEW.year) THEN
    RAISE EXCEPTION 'number % of % is not the next one', NEW.number, NEW.year USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION keep_receipt_number_gaps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.first_number <> next_receipt_number(NEW.seller, NEW.year) THEN
    RAISE EXCEPTION 'number % of % is not the next one', NEW.first_number, NEW.year USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER receipt_number_gaps_follow BEFORE INSERT ON receipt_number_gaps FOR EACH ROW
  EXECUTE FUNCTION keep_receipt_number_gaps();
