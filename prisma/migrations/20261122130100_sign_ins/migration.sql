-- AlterTable
ALTER TABLE "letters" ADD COLUMN     "origin" TEXT;

-- AlterTable
ALTER TABLE "member_sessions" ADD COLUMN     "browser" TEXT,
ADD COLUMN     "origin" TEXT NOT NULL;

-- AlterTable
ALTER TABLE "registrations" ADD COLUMN     "lifted_at" TIMESTAMPTZ(3),
ADD COLUMN     "user_code_hash" TEXT NOT NULL;

-- AlterTable
ALTER TABLE "sign_in_links" ADD COLUMN     "made_by" TEXT NOT NULL,
ADD COLUMN     "next" TEXT NOT NULL;

-- CreateIndex
CREATE INDEX "member_sessions_member_key_idx" ON "member_sessions"("member_key");

-- CreateIndex
CREATE INDEX "registrations_email_user_code_hash_idx" ON "registrations"("email", "user_code_hash");

-- CreateIndex
CREATE INDEX "sign_in_links_member_key_idx" ON "sign_in_links"("member_key");



-- A sign-in leads to a page of our own, never to another site.
ALTER TABLE "sign_in_links"
  ADD CHECK (made_by IN ('letter', 'operator')),
  ADD CHECK (next LIKE '/%' AND next NOT LIKE '//%' AND next NOT LIKE '%\\%');
-- Only what was declined silences, and only that can be lifted.
ALTER TABLE "registrations" ADD CHECK (lifted_at IS NULL OR state = 'declined');
