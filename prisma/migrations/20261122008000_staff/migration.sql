-- Support staff: who is, who was, and what they looked at.
CREATE TABLE "staff_grant" (
    "id" BIGSERIAL NOT NULL,
    "user_id" TEXT NOT NULL,
    "granted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "staff_grant_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "staff_grant_user_id_idx" ON "staff_grant"("user_id");
CREATE UNIQUE INDEX "staff_grant_open_key" ON "staff_grant"("user_id") WHERE revoked_at IS NULL;
ALTER TABLE "staff_grant" ADD CONSTRAINT "staff_grant_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "support_view" (
    "user_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "page" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "support_view_pkey" PRIMARY KEY ("account_id","user_id","page","hour")
);
ALTER TABLE "support_view" ADD CONSTRAINT "support_view_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
