-- AlterTable
ALTER TABLE "account_events" ADD COLUMN     "sequence" BIGSERIAL NOT NULL;
