-- Traffic: counters by hour and by day, and the log of the last 7 days of calls.

ALTER TABLE "api_key"
  ADD COLUMN "last_address" TEXT,
  ADD COLUMN "last_user_agent" TEXT;

CREATE TABLE "traffic_hour" (
    "account_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "key_id" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "requests" INTEGER NOT NULL,
    "tokens" INTEGER NOT NULL DEFAULT 0,
    "latency" INTEGER[],

    CONSTRAINT "traffic_hour_pkey" PRIMARY KEY ("account_id", "hour", "key_id", "operation", "status")
);

CREATE TABLE "traffic_day" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "key_id" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "requests" INTEGER NOT NULL,
    "tokens" INTEGER NOT NULL DEFAULT 0,
    "latency" INTEGER[],

    CONSTRAINT "traffic_day_pkey" PRIMARY KEY ("account_id", "day", "key_id", "operation", "status")
);

CREATE TABLE "request_log" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "key_id" TEXT,
    "method" TEXT NOT NULL,
    "operation" TEXT,
    "path" TEXT NOT NULL,
    "query" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "code" TEXT,
    "details" JSONB,
    "checks" TEXT[],
    "address" TEXT,
    "user_agent" TEXT,
    "duration_ms" DOUBLE PRECISION NOT NULL,
    "headers" JSONB NOT NULL,
    "token_id" TEXT,
    "weight" DOUBLE PRECISION NOT NULL DEFAULT 1,

    CONSTRAINT "request_log_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "traffic_hour_hour_idx" ON "traffic_hour" USING BRIN ("hour");

-- CreateIndex
CREATE INDEX "request_log_account_id_at_id_idx" ON "request_log"("account_id", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "request_log_key_id_at_id_idx" ON "request_log"("key_id", "at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "request_log_token_id_idx" ON "request_log"("token_id");

-- CreateIndex
CREATE INDEX "request_log_at_idx" ON "request_log" USING BRIN ("at");

-- What people look for most is rare among what there is; Prisma's schema cannot say this.
CREATE INDEX "request_log_refused_idx" ON "request_log" ("account_id", "at" DESC, "id" DESC) WHERE status >= 400;

-- AddForeignKey
ALTER TABLE "traffic_hour" ADD CONSTRAINT "traffic_hour_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "traffic_day" ADD CONSTRAINT "traffic_day_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "request_log" ADD CONSTRAINT "request_log_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
