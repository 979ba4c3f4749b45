-- CreateTable
CREATE TABLE "switches" (
    "name" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "switches_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "switch_changes" (
    "sequence" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "switch_changes_pkey" PRIMARY KEY ("sequence")
);



-- What the language of the schema cannot say.

ALTER TABLE "switches"
  ADD CHECK (name IN ('service', 'registrations', 'card', 'x402')),
  ADD CHECK (state IN ('on', 'off')),
  ADD CHECK (reason <> '');

-- Every change is kept, whoever made it.
CREATE FUNCTION note_switch_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO switch_changes (name, state, reason, actor, changed_at)
  VALUES (NEW.name, NEW.state, NEW.reason, NEW.actor, NEW.changed_at);
  RETURN NULL;
END $$;
CREATE TRIGGER switches_note_changes AFTER INSERT OR UPDATE ON switches FOR EACH ROW
  EXECUTE FUNCTION note_switch_change();
CREATE TRIGGER switches_stay BEFORE DELETE OR TRUNCATE ON switches EXECUTE FUNCTION refuse_change();
CREATE TRIGGER switch_changes_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON switch_changes
  EXECUTE FUNCTION refuse_change();
