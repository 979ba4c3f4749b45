-- AlterTable
ALTER TABLE "account_events" DROP CONSTRAINT "account_events_pkey",
DROP COLUMN "event_key",
ADD CONSTRAINT "account_events_pkey" PRIMARY KEY ("sequence");
