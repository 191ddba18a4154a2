-- Bounds of one account that support raised or lowered; without a row the installation's setting holds.
CREATE TABLE "account_limit" (
    "account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "value" BIGINT NOT NULL CHECK ("value" >= 0),
    "reason" TEXT NOT NULL,
    "set_by" TEXT NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),

    CONSTRAINT "account_limit_pkey" PRIMARY KEY ("account_id", "name")
);
ALTER TABLE "account_limit" ADD CONSTRAINT "account_limit_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
