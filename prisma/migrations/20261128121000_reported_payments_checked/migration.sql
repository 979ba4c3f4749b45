-- no transaction
-- Reads all jobs, and locks out no writer.
ALTER TABLE jobs VALIDATE CONSTRAINT jobs_waived_because_check;
