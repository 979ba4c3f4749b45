-- AlterTable
ALTER TABLE "receipt_keys" ADD COLUMN "revoked_at" TIMESTAMPTZ(3),
ADD COLUMN "revoked_because" TEXT;



-- What the language of the schema cannot say.

-- A revocation says why, and stands; the key itself is published for good.
ALTER TABLE "receipt_keys"
  ADD CHECK (num_nulls(revoked_at, revoked_because) IN (0, 2)),
  ADD CHECK (revoked_because <> ''),
  ADD CHECK (revoked_at IS NULL OR valid_to <= revoked_at);
CREATE FUNCTION keep_receipt_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.kid, NEW.public_jwk, NEW.valid_from) IS DISTINCT FROM (OLD.kid, OLD.public_jwk, OLD.valid_from)
    OR (OLD.revoked_at IS NOT NULL
      AND (NEW.revoked_at, NEW.valid_to) IS DISTINCT FROM (OLD.revoked_at, OLD.valid_to)) THEN
    RAISE EXCEPTION 'the receipt key % stays as it was published', OLD.kid USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER receipt_keys_stay_published BEFORE UPDATE ON receipt_keys FOR EACH ROW
  EXECUTE FUNCTION keep_receipt_key();
CREATE TRIGGER receipt_keys_stay BEFORE DELETE OR TRUNCATE ON receipt_keys EXECUTE FUNCTION refuse_change();
