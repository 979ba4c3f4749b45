-- CreateTable
CREATE TABLE "reconciliation_differences" (
    "book" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "ours" TEXT,
    "theirs" TEXT,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "gone_at" TIMESTAMPTZ(3),

    CONSTRAINT "reconciliation_differences_pkey" PRIMARY KEY ("book","kind","object_id")
);

-- DropTable
DROP TABLE "card_differences";

-- AlterTable
ALTER TABLE "card_searches" ADD COLUMN "balance_microcents" BIGINT,
ADD COLUMN "ledger_microcents" BIGINT;



-- What the language of the schema cannot say.

ALTER TABLE "reconciliation_differences" ADD CHECK (kind IN ('charge', 'refund', 'dispute', 'balance')),
  ADD CHECK (ours IS DISTINCT FROM theirs),
  ADD CHECK (last_seen_at >= first_seen_at);
