-- Uploads that were begun and are not videos yet: one row each, so that an account's can be counted.
CREATE TABLE "upload" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "begun_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "upload_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "upload_account_id_idx" ON "upload"("account_id");

ALTER TABLE "upload" ADD CONSTRAINT "upload_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
