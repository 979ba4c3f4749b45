-- AlterTable
ALTER TABLE "accounts" ADD COLUMN "purchases_blocked_at" TIMESTAMPTZ(3);
