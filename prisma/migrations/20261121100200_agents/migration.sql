-- AlterTable
ALTER TABLE "credentials" ADD COLUMN     "grace_seconds" INTEGER,
ADD COLUMN     "replaces" TEXT;

-- AlterTable
ALTER TABLE "members" ADD COLUMN     "agents_reviewed_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "principals" ADD COLUMN     "revoked_at" TIMESTAMPTZ(3);

-- AddForeignKey
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_replaces_fkey" FOREIGN KEY ("replaces") REFERENCES "credentials"("credential_key") ON DELETE SET NULL ON UPDATE CASCADE;


-- A credential that takes the place of another says when that one ends.
ALTER TABLE "credentials"
  ADD CHECK ((replaces IS NULL) = (grace_seconds IS NULL)),
  ADD CHECK (grace_seconds BETWEEN 0 AND 86400),
  ADD CHECK (replaces <> credential_key);
