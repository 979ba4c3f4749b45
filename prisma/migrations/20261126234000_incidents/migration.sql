-- What went wrong, told to everybody. Nothing of it is taken back.
CREATE TABLE incidents (
  incident_key TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  impact JSONB NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL,
  resolved_at TIMESTAMPTZ(3),
  CHECK (length(title) BETWEEN 1 AND 120),
  CHECK (jsonb_typeof(impact) = 'object' AND impact <> '{}'),
  CHECK (resolved_at >= started_at)
);
CREATE INDEX incidents_started_at_idx ON incidents (started_at DESC);
CREATE TRIGGER incidents_stay BEFORE DELETE OR TRUNCATE ON incidents EXECUTE FUNCTION refuse_change();
-- But for its end, once.
CREATE TRIGGER incidents_are_resolved BEFORE UPDATE ON incidents FOR EACH ROW
  WHEN (OLD.resolved_at IS NOT NULL OR (NEW.incident_key, NEW.title, NEW.impact, NEW.started_at)
    IS DISTINCT FROM (OLD.incident_key, OLD.title, OLD.impact, OLD.started_at))
  EXECUTE FUNCTION refuse_change();

CREATE TABLE incident_updates (
  incident_key TEXT NOT NULL REFERENCES incidents ON DELETE RESTRICT ON UPDATE CASCADE,
  number INTEGER NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (incident_key, number),
  CHECK (number BETWEEN 1 AND 100),
  CHECK (length(text) BETWEEN 1 AND 1000)
);
CREATE TRIGGER incident_updates_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON incident_updates
  EXECUTE FUNCTION refuse_change();
