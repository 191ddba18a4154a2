-- Limits on attempts that all processes share. `free_at` is when the whole allowance is there again: each try moves it on by its price.
-- A row in the past says nothing and is swept. See server/modules/auth/shared-limit.ts.
CREATE TABLE "shared_limit" (
    "name" TEXT NOT NULL,
    "free_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "shared_limit_pkey" PRIMARY KEY ("name")
);
CREATE INDEX "shared_limit_free_at_idx" ON "shared_limit"("free_at");
