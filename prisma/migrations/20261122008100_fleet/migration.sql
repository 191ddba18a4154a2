-- What support staff sort accounts by, summed up for each (server/modules/support/fleet-refresh.ts), and the indexes they search by.
CREATE TABLE "fleet_account" (
    "account_id" TEXT NOT NULL,
    "requests_1" BIGINT NOT NULL,
    "requests_7" BIGINT NOT NULL,
    "requests_30" BIGINT NOT NULL,
    "issued_1" BIGINT NOT NULL,
    "issued_7" BIGINT NOT NULL,
    "issued_30" BIGINT NOT NULL,
    "refused_1" BIGINT NOT NULL,
    "refused_7" BIGINT NOT NULL,
    "refused_30" BIGINT NOT NULL,
    "failed_1" BIGINT NOT NULL,
    "failed_7" BIGINT NOT NULL,
    "failed_30" BIGINT NOT NULL,
    "stored" BIGINT NOT NULL,

    CONSTRAINT "fleet_account_pkey" PRIMARY KEY ("account_id")
);
ALTER TABLE "fleet_account" ADD CONSTRAINT "fleet_account_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "fleet_refresh" (
    "id" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "fleet_refresh_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "api_key_prefix_idx" ON "api_key"("prefix" text_pattern_ops);
CREATE INDEX "key_day_day_idx" ON "key_day"("day");
CREATE INDEX "video_unfinished_idx" ON "video"("created_at") WHERE status IN ('PENDING', 'PROCESSING') AND deleted_at IS NULL;
CREATE INDEX "video_log_failed_idx" ON "video_log"("at") WHERE step = 'fail';
-- Beside the rows are playlists' indexes of segments, which the sums of bytes need not read.
CREATE INDEX "rendition_bytes_idx" ON "rendition"("video_id") INCLUDE ("bytes");
