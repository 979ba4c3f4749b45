-- AlterTable
ALTER TABLE "reviews" DROP COLUMN "correction_request",
DROP COLUMN "detail";

-- CreateTable
CREATE TABLE "dispute_texts" (
    "review_key" TEXT NOT NULL,
    "texts" TEXT NOT NULL,

    CONSTRAINT "dispute_texts_pkey" PRIMARY KEY ("review_key")
);

-- AddForeignKey
ALTER TABLE "dispute_texts" ADD CONSTRAINT "dispute_texts_review_key_fkey" FOREIGN KEY ("review_key") REFERENCES "reviews"("review_key") ON DELETE RESTRICT ON UPDATE CASCADE;



-- What a reviewer wrote is content: apart from the decision, which stays as it was given, it can be deleted.
CREATE OR REPLACE FUNCTION keep_review() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a review stands as it was given' USING ERRCODE = 'check_violation';
END $$;
ALTER TABLE "reviews" ADD CHECK (CASE decision
  WHEN 'accept' THEN reason IS NULL
  WHEN 'dispute' THEN reason IS NOT NULL AND reason IN ('check_not_performed', 'criteria_not_evaluated',
    'citation_invalid', 'report_incomplete', 'wrong_input_assessed', 'other')
  ELSE reason IS NOT NULL END);

-- Content is kept sealed (server/kernel/seal.ts). What came before, in clear, is deleted: a check that still waits for
-- it fails, and its buyer is credited.
UPDATE quotes SET input = NULL, input_deleted_at = now() WHERE input IS NOT NULL;
ALTER TABLE "quotes" ADD CHECK (input LIKE 'v1.%');
ALTER TABLE "dispute_texts" ADD CHECK (texts LIKE 'v1.%');

-- What retention looks for stays small, whatever the number of purchases: content that a purchase keeps, and content of
-- quotes that nobody has authorized.
CREATE INDEX "quotes_kept_content_idx" ON "quotes" (expires_at) WHERE input IS NOT NULL AND state = 'authorized';
CREATE INDEX "quotes_dead_content_idx" ON "quotes" (expires_at) WHERE input IS NOT NULL AND state <> 'authorized';
