-- AlterTable
ALTER TABLE "payments" ADD COLUMN "valid_after" TIMESTAMPTZ(3),
ADD COLUMN "signature" TEXT;

-- A payment that is open can be carried out again from its row alone.
ALTER TABLE "payments"
  ADD CHECK (method <> 'x402' OR state NOT IN ('settling', 'unknown') OR num_nulls(valid_after, signature) = 0) NOT VALID;
