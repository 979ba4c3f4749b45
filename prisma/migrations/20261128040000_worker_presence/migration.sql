-- When a worker last looked after deadlines: one row. What was due while none did gets time when one is back
-- (server/purchases/rounds/resume.ts).
CREATE TABLE worker_presence (
  id INT PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  seen_at TIMESTAMPTZ(3) NOT NULL
);
