-- AlterTable
ALTER TABLE "jobs" ADD COLUMN "last_rail" TEXT, ADD COLUMN "last_verdict" TEXT, ADD COLUMN "facet" TEXT;

-- What the language of the schema cannot say.

-- What lists filter purchases by, in one word: there are a few dozen of them, however many purchases.
CREATE FUNCTION job_facet(state text, payment_state text, review_state text, rail text, verdict text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT state || '.' || payment_state || '.' || review_state || '.' || coalesce(rail, '') || '.' || coalesce(verdict, '')
$$;
CREATE FUNCTION keep_job_facet() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.facet := job_facet(NEW.state, NEW.payment_state, NEW.review_state, NEW.last_rail, NEW.last_verdict);
  RETURN NEW;
END $$;
CREATE TRIGGER jobs_keep_their_facet BEFORE INSERT OR UPDATE OF state, payment_state, review_state, last_rail, last_verdict ON jobs
  FOR EACH ROW EXECUTE FUNCTION keep_job_facet();

UPDATE jobs SET
  last_rail = (SELECT p.rail FROM payments p WHERE p.job_key = jobs.job_key ORDER BY p.created_at DESC LIMIT 1),
  last_verdict = (SELECT r.verdict FROM reports r WHERE r.job_key = jobs.job_key ORDER BY r.number DESC LIMIT 1);

-- CreateIndex
CREATE INDEX "jobs_facet_created_at_job_key_idx" ON "jobs"("facet", "created_at" DESC, "job_key" DESC);

-- These were for filters that are now one.
DROP INDEX "jobs_payment_state_created_at_job_key_idx";
DROP INDEX "reports_verdict_idx";
DROP INDEX "payments_rail_idx";
DROP INDEX jobs_in_doubt_idx;
