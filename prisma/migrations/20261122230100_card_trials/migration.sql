-- AlterTable
ALTER TABLE "card_disputes" ADD COLUMN "movements" INTEGER NOT NULL DEFAULT 0;


-- What the language of the schema cannot say.

-- Disputes that were written down before: one that was won has had its money taken and given back.
UPDATE "card_disputes" SET movements = CASE
  WHEN withdrawn_microcents > 0 THEN 1 WHEN fee_microcents > 0 THEN 2 ELSE 0 END;
