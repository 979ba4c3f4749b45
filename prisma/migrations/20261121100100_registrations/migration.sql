-- AlterTable
ALTER TABLE "credentials" ADD COLUMN     "use_by" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "members" ADD COLUMN     "role" TEXT NOT NULL DEFAULT 'member';

-- CreateTable
CREATE TABLE "registrations" (
    "registration_key" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "agent_key" TEXT NOT NULL,
    "agent_name" TEXT NOT NULL,
    "agent_software" TEXT,
    "requested_grant" JSONB NOT NULL,
    "terms_version" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "claim_token_hash" TEXT NOT NULL,
    "code_tries" INTEGER NOT NULL DEFAULT 0,
    "code_mailed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),
    "claim_until" TIMESTAMPTZ(3),
    "account_key" TEXT,

    CONSTRAINT "registrations_pkey" PRIMARY KEY ("registration_key")
);

-- CreateTable
CREATE TABLE "letters" (
    "letter_key" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "about" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "sent_at" TIMESTAMPTZ(3),

    CONSTRAINT "letters_pkey" PRIMARY KEY ("letter_key")
);

-- CreateTable
CREATE TABLE "account_events" (
    "event_key" TEXT NOT NULL,
    "account_key" TEXT NOT NULL,
    "principal_key" TEXT,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "detail" JSONB NOT NULL,

    CONSTRAINT "account_events_pkey" PRIMARY KEY ("event_key")
);

-- CreateIndex
CREATE UNIQUE INDEX "registrations_agent_key_key" ON "registrations"("agent_key");

-- CreateIndex
CREATE INDEX "registrations_email_created_at_idx" ON "registrations"("email", "created_at");

-- CreateIndex
CREATE INDEX "registrations_account_key_idx" ON "registrations"("account_key");

-- CreateIndex
CREATE INDEX "letters_address_kind_created_at_idx" ON "letters"("address", "kind", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "letters_kind_about_address_key" ON "letters"("kind", "about", "address");

-- CreateIndex
CREATE INDEX "account_events_principal_key_at_idx" ON "account_events"("principal_key", "at");

-- CreateIndex
CREATE INDEX "account_events_account_key_at_idx" ON "account_events"("account_key", "at");

-- CreateIndex
CREATE INDEX "members_email_idx" ON "members"("email");

-- AddForeignKey
ALTER TABLE "registrations" ADD CONSTRAINT "registrations_account_key_fkey" FOREIGN KEY ("account_key") REFERENCES "accounts"("account_key") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_events" ADD CONSTRAINT "account_events_account_key_fkey" FOREIGN KEY ("account_key") REFERENCES "accounts"("account_key") ON DELETE RESTRICT ON UPDATE CASCADE;



-- Who may ask, what comes of it, and how often an address is written to.

ALTER TABLE "members" ADD CHECK (role IN ('owner', 'member'));
-- An address owns one account at most, however many confirmations race.
CREATE UNIQUE INDEX "members_owner_key" ON "members" (email) WHERE role = 'owner';

ALTER TABLE "registrations"
  ADD CHECK (mode IN ('new_customer', 'link_existing')),
  ADD CHECK (state IN ('pending_confirmation', 'confirmed', 'released', 'declined')),
  ADD CHECK (code_tries BETWEEN 0 AND 5),
  ADD CHECK (email = lower(email)),
  ADD CHECK ((state = 'pending_confirmation') = (decided_at IS NULL)),
  ADD CHECK ((state IN ('confirmed', 'released')) = (claim_until IS NOT NULL)),
  ADD CHECK (state NOT IN ('confirmed', 'released') OR account_key IS NOT NULL);

ALTER TABLE "letters" ADD CHECK (kind IN ('registration', 'sign_in', 'notice'));

ALTER TABLE "credentials" ADD CHECK (use_by IS NULL OR kind = 'agent');
-- One credential at most that nobody has used yet: a new release takes the place of a lost one.
CREATE UNIQUE INDEX "credentials_unused_key" ON "credentials" (principal_key)
  WHERE kind = 'agent' AND last_used_at IS NULL AND revoked_at IS NULL;
CREATE INDEX "credentials_use_by_idx" ON "credentials" (use_by) WHERE last_used_at IS NULL AND revoked_at IS NULL;

CREATE TRIGGER account_events_only_grow BEFORE UPDATE OR DELETE OR TRUNCATE ON account_events
  EXECUTE FUNCTION refuse_change();
