-- Every process says which key it has in front, so that nobody retires a key while something is issued under it.
ALTER TABLE secret_keys ADD COLUMN in_front_at TIMESTAMPTZ(3);
