-- What disputes and failed refunds moved of a payment: how much money is away, and how many micro-credits were really taken back for it.
ALTER TABLE "payment" ADD COLUMN "disputed" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "payment" ADD COLUMN "refund_taken" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "payment" ADD COLUMN "dispute_taken" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "payment" ADD COLUMN "refund_told_at" TIMESTAMPTZ(3);
ALTER TABLE "payment" ADD CONSTRAINT "payment_taken_back" CHECK (disputed >= 0 AND refund_taken >= 0 AND dispute_taken >= 0);

-- A balance at a moment is read from the ledger, not added up from its beginning.
CREATE INDEX "ledger_entry_account_id_at_idx" ON "ledger_entry"("account_id", "at");

-- What owners were told by mail; each fact once.
CREATE TABLE "billing_notice" (
    "account_id" TEXT NOT NULL,
    "fact" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),

    CONSTRAINT "billing_notice_pkey" PRIMARY KEY ("account_id","fact")
);
ALTER TABLE "billing_notice" ADD CONSTRAINT "billing_notice_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
