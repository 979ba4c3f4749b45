-- CreateTable
CREATE TABLE "rate_counts" (
    "subject" TEXT NOT NULL,
    "limit_name" TEXT NOT NULL,
    "used" INTEGER NOT NULL,
    "window_end" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "rate_counts_pkey" PRIMARY KEY ("subject","limit_name")
);

-- CreateIndex
CREATE INDEX "rate_counts_window_end_idx" ON "rate_counts"("window_end");



-- What the language of the schema cannot say.

-- A count is worth no write to disk: after a crash everybody starts a new window. Room on each page keeps the many
-- updates of a row off the index.
ALTER TABLE "rate_counts" SET UNLOGGED;
ALTER TABLE "rate_counts" SET (fillfactor = 50);
ALTER TABLE "rate_counts" ADD CHECK (used > 0);
