-- CreateIndex
CREATE INDEX "idempotency_claims_created_at_idx" ON "idempotency_claims" USING BRIN ("created_at");
