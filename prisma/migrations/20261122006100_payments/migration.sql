-- Payments outlive their account, as the ledger does.
CREATE TABLE "payment" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "session_id" TEXT,
    "payment_intent" TEXT,
    "credits" BIGINT NOT NULL,
    "amount" INTEGER NOT NULL,
    "currency" TEXT NOT NULL,
    "refunded" INTEGER NOT NULL DEFAULT 0,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "paid_at" TIMESTAMPTZ(3),

    CONSTRAINT "payment_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "payment_amounts" CHECK (credits > 0 AND amount > 0 AND refunded BETWEEN 0 AND amount)
);
CREATE UNIQUE INDEX "payment_session_id_key" ON "payment"("session_id");
CREATE UNIQUE INDEX "payment_payment_intent_key" ON "payment"("payment_intent");
CREATE INDEX "payment_account_id_created_at_idx" ON "payment"("account_id", "created_at" DESC);

CREATE TABLE "payment_event" (
    "id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "payment_event_pkey" PRIMARY KEY ("id")
);

CREATE TYPE "QuotaRequestStatus" AS ENUM ('OPEN', 'GRANTED', 'DECLINED');

CREATE TABLE "quota_request" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "wanted" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "status" "QuotaRequestStatus" NOT NULL DEFAULT 'OPEN',
    "granted" INTEGER,
    "answer" TEXT,
    "asked_by" TEXT NOT NULL,
    "answered_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "answered_at" TIMESTAMPTZ(3),

    CONSTRAINT "quota_request_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "quota_request_wanted" CHECK (wanted > 0 AND granted > 0)
);
CREATE INDEX "quota_request_account_id_created_at_idx" ON "quota_request"("account_id", "created_at" DESC);
CREATE INDEX "quota_request_status_created_at_idx" ON "quota_request"("status", "created_at");
-- One open question a key.
CREATE UNIQUE INDEX "quota_request_open" ON "quota_request"("key_id") WHERE status = 'OPEN';

ALTER TABLE "quota_request" ADD CONSTRAINT "quota_request_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "quota_request" ADD CONSTRAINT "quota_request_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;
