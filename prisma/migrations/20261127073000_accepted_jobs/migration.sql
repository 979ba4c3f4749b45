-- Whether an account has an accepted purchase, which limits of networks and turns of workers ask.
CREATE INDEX jobs_accepted_idx ON jobs (account_key) WHERE state = 'accepted';
