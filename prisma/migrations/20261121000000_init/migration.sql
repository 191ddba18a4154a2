-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "Tier" AS ENUM ('FREE', 'PAID');

-- CreateEnum
CREATE TYPE "Role" AS ENUM ('OWNER', 'DEVELOPER', 'VIEWER');

-- CreateEnum
CREATE TYPE "KeyEnvironment" AS ENUM ('LIVE', 'TEST');

-- CreateEnum
CREATE TYPE "VideoStatus" AS ENUM ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED');

-- CreateTable
CREATE TABLE "account" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "tier" "Tier" NOT NULL DEFAULT 'FREE',
    "embed_domains" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "app_user" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "app_user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "membership" (
    "account_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "role" "Role" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "membership_pkey" PRIMARY KEY ("account_id","user_id")
);

-- CreateTable
CREATE TABLE "api_key" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "environment" "KeyEnvironment" NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "scopes" TEXT[],
    "daily_quota" INTEGER,
    "request_count" BIGINT NOT NULL DEFAULT 0,
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by_id" TEXT,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "key_day" (
    "key_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "issued" INTEGER NOT NULL DEFAULT 0,
    "last_grant" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "requests" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "key_day_pkey" PRIMARY KEY ("key_id","day")
);

-- CreateTable
CREATE TABLE "video" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "status" "VideoStatus" NOT NULL DEFAULT 'PENDING',
    "failure_reason" TEXT,
    "progress" INTEGER NOT NULL DEFAULT 0,
    "eta_sec" INTEGER,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "duration_sec" INTEGER NOT NULL DEFAULT 0,
    "target_quality" TEXT NOT NULL,
    "qualities" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "encrypted" BOOLEAN NOT NULL DEFAULT true,
    "content_key" BYTEA,
    "source_key" TEXT NOT NULL,
    "source_bytes" BIGINT NOT NULL,
    "source_name" TEXT NOT NULL,
    "poster" TEXT,
    "poster_candidates" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "poster_uploaded" TEXT,
    "storyboard" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "video_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "caption" (
    "video_id" TEXT NOT NULL,
    "language" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "cues" INTEGER NOT NULL,
    "bytes" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "caption_pkey" PRIMARY KEY ("video_id","language")
);

-- CreateTable
CREATE TABLE "video_log" (
    "id" BIGSERIAL NOT NULL,
    "video_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "step" TEXT NOT NULL,
    "words" TEXT NOT NULL,

    CONSTRAINT "video_log_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "rendition" (
    "video_id" TEXT NOT NULL,
    "quality" TEXT NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "bandwidth" INTEGER NOT NULL,
    "average_bandwidth" INTEGER NOT NULL,
    "codecs" TEXT NOT NULL,
    "frame_rate" DOUBLE PRECISION NOT NULL,
    "bytes" BIGINT NOT NULL,
    "segments" JSONB NOT NULL,

    CONSTRAINT "rendition_pkey" PRIMARY KEY ("video_id","quality")
);

-- CreateTable
CREATE TABLE "view_day" (
    "video_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "plays" INTEGER NOT NULL DEFAULT 0,
    "watch_ms" BIGINT NOT NULL DEFAULT 0,
    "rebuffer_ms" BIGINT NOT NULL DEFAULT 0,
    "rebuffers" INTEGER NOT NULL DEFAULT 0,
    "errors" INTEGER NOT NULL DEFAULT 0,
    "startup" INTEGER[],
    "retention" INTEGER[],

    CONSTRAINT "view_day_pkey" PRIMARY KEY ("video_id","day")
);

-- CreateTable
CREATE TABLE "token_idempotency" (
    "key_id" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "jti" TEXT NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "token_idempotency_pkey" PRIMARY KEY ("key_id","request_hash")
);

-- CreateTable
CREATE TABLE "audit_entry" (
    "id" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "before" JSONB,
    "after" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "app_user_email_key" ON "app_user"("email");

-- CreateIndex
CREATE INDEX "membership_user_id_idx" ON "membership"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");

-- CreateIndex
CREATE INDEX "api_key_account_id_created_at_idx" ON "api_key"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "video_account_id_created_at_id_idx" ON "video"("account_id", "created_at" DESC, "id");

-- CreateIndex
CREATE INDEX "video_account_id_status_created_at_id_idx" ON "video"("account_id", "status", "created_at" DESC, "id");

-- CreateIndex
CREATE INDEX "video_account_id_duration_sec_id_idx" ON "video"("account_id", "duration_sec" DESC, "id");

-- CreateIndex
CREATE INDEX "video_log_video_id_id_idx" ON "video_log"("video_id", "id");

-- CreateIndex
CREATE INDEX "token_idempotency_issued_at_idx" ON "token_idempotency"("issued_at");

-- CreateIndex
CREATE INDEX "audit_entry_account_id_id_idx" ON "audit_entry"("account_id", "id" DESC);

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "membership" ADD CONSTRAINT "membership_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "key_day" ADD CONSTRAINT "key_day_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "video" ADD CONSTRAINT "video_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "caption" ADD CONSTRAINT "caption_video_id_fkey" FOREIGN KEY ("video_id") REFERENCES "video"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "video_log" ADD CONSTRAINT "video_log_video_id_fkey" FOREIGN KEY ("video_id") REFERENCES "video"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rendition" ADD CONSTRAINT "rendition_video_id_fkey" FOREIGN KEY ("video_id") REFERENCES "video"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "view_day" ADD CONSTRAINT "view_day_video_id_fkey" FOREIGN KEY ("video_id") REFERENCES "video"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entry" ADD CONSTRAINT "audit_entry_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;



-- The service's clock. Every rule about days and lifetimes asks this, never a process's own clock,
-- so that skewed machines agree; tests replace it to stand at a midnight.
CREATE FUNCTION service_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';

-- The same clock, but where service_now() stands still from a transaction's beginning, this one goes on: for what is decided after
-- waiting for a lock, such as whether a key has been revoked meanwhile.
CREATE FUNCTION service_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT clock_timestamp()';

-- Change notices, sent by the database itself so that no writer can forget them. They empty caches
-- (server/platform/cache.ts) and move the dashboard (server/modules/dashboard/watch-videos.ts).
CREATE FUNCTION notify_api_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'key:' || encode(COALESCE(NEW.hash, OLD.hash), 'hex'));
  RETURN NULL;
END $$;

-- Counters (request_count, last_used_at) change every second and concern no cache.
CREATE TRIGGER api_key_changed
  AFTER DELETE OR UPDATE OF name, scopes, daily_quota, revoked_at ON api_key
  FOR EACH ROW EXECUTE FUNCTION notify_api_key();

CREATE FUNCTION notify_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'video:' || COALESCE(NEW.account_id, OLD.account_id) || ':' || COALESCE(NEW.id, OLD.id));
  RETURN NULL;
END $$;

CREATE TRIGGER video_changed
  AFTER INSERT OR UPDATE OR DELETE ON video
  FOR EACH ROW EXECUTE FUNCTION notify_video();

-- Captions stand in a video's playlists: changing them changes the video. Its own deletion takes them along and tells itself.
CREATE FUNCTION notify_caption() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE of_account text;
BEGIN
  SELECT account_id INTO of_account FROM video WHERE id = COALESCE(NEW.video_id, OLD.video_id);
  IF FOUND THEN
    PERFORM pg_notify('reelgate', 'video:' || of_account || ':' || COALESCE(NEW.video_id, OLD.video_id));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER caption_changed
  AFTER INSERT OR UPDATE OR DELETE ON caption
  FOR EACH ROW EXECUTE FUNCTION notify_caption();

CREATE FUNCTION notify_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'account:' || NEW.id);
  RETURN NULL;
END $$;

CREATE TRIGGER account_changed AFTER UPDATE OF tier, embed_domains ON account FOR EACH ROW EXECUTE FUNCTION notify_account();

-- The dashboard's list by title, in which large and small letters are alike; Prisma's schema cannot say this.
CREATE INDEX video_account_id_lower_title_id_idx ON video (account_id, lower(title), id);

-- Append-only.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE TRIGGER audit_entry_append_only
  BEFORE UPDATE ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
