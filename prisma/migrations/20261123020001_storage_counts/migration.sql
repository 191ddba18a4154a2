-- What each account stores, counted in the transactions that change it (docs/decisions/0029). An account's figures are the sums of its rows.
-- Rows are only added, so that counting never waits for another transaction; a job folds them into one row for each account.
LOCK TABLE "video", "rendition", "caption", "upload" IN SHARE ROW EXCLUSIVE MODE;

-- Bytes announced when the upload began; for one that did not say, the largest file accepted.
ALTER TABLE "upload" ADD COLUMN "bytes" BIGINT NOT NULL DEFAULT 0 CHECK ("bytes" >= 0);

-- What is stored of a video besides its original. The first two follow from their tables; the others are null until measured.
ALTER TABLE "video" ADD COLUMN "rendition_bytes" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "video" ADD COLUMN "caption_bytes" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "video" ADD COLUMN "picture_bytes" BIGINT DEFAULT 0;
ALTER TABLE "video" ADD COLUMN "poster_bytes" BIGINT DEFAULT 0;

UPDATE "video" v SET
  "rendition_bytes" = coalesce((SELECT sum("bytes") FROM "rendition" WHERE "video_id" = v."id"), 0),
  "caption_bytes" = coalesce((SELECT sum("bytes") FROM "caption" WHERE "video_id" = v."id"), 0),
  "picture_bytes" = CASE WHEN cardinality(v."poster_candidates") > 0 THEN NULL ELSE 0 END,
  "poster_bytes" = CASE WHEN v."poster_uploaded" IS NOT NULL THEN NULL ELSE 0 END;
CREATE INDEX "video_unmeasured_idx" ON "video"("id") WHERE "picture_bytes" IS NULL OR "poster_bytes" IS NULL;

-- No foreign key: the videos of an account that is deleted are still counted off while it goes.
CREATE TABLE "storage_count" (
    "id" BIGINT GENERATED ALWAYS AS IDENTITY,
    "account_id" TEXT NOT NULL,
    "videos" INTEGER NOT NULL DEFAULT 0,
    "original_bytes" BIGINT NOT NULL DEFAULT 0,
    "rendition_bytes" BIGINT NOT NULL DEFAULT 0,
    "uploads" INTEGER NOT NULL DEFAULT 0,
    "unfinished_bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "storage_count_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "storage_count_account_id_idx" ON "storage_count"("account_id");

INSERT INTO "storage_count" ("account_id", "videos", "original_bytes", "rendition_bytes")
  SELECT "account_id", count(*), sum("source_bytes"), sum("rendition_bytes" + "caption_bytes") FROM "video" GROUP BY "account_id";
INSERT INTO "storage_count" ("account_id", "uploads") SELECT "account_id", count(*) FROM "upload" GROUP BY "account_id";

CREATE FUNCTION count_video_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_count (account_id, videos, original_bytes, rendition_bytes) VALUES (OLD.account_id, -1, -OLD.source_bytes,
      -(OLD.rendition_bytes + OLD.caption_bytes + coalesce(OLD.picture_bytes, 0) + coalesce(OLD.poster_bytes, 0)));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_count (account_id, videos, original_bytes, rendition_bytes) VALUES (NEW.account_id, 1, NEW.source_bytes,
      NEW.rendition_bytes + NEW.caption_bytes + coalesce(NEW.picture_bytes, 0) + coalesce(NEW.poster_bytes, 0));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER video_storage_counted AFTER INSERT OR DELETE OR UPDATE OF account_id, source_bytes, rendition_bytes, caption_bytes, picture_bytes, poster_bytes
  ON video FOR EACH ROW EXECUTE FUNCTION count_video_storage();

CREATE FUNCTION count_upload_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_count (account_id, uploads, unfinished_bytes) VALUES (OLD.account_id, -1, -OLD.bytes);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_count (account_id, uploads, unfinished_bytes) VALUES (NEW.account_id, 1, NEW.bytes);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER upload_storage_counted AFTER INSERT OR DELETE OR UPDATE OF account_id, bytes
  ON upload FOR EACH ROW EXECUTE FUNCTION count_upload_storage();

-- A transaction that changes the renditions or captions of a video holds its row.
CREATE FUNCTION sum_rendition_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE video v SET rendition_bytes = coalesce((SELECT sum(bytes) FROM rendition WHERE video_id = v.id), 0)
  WHERE id IN (SELECT video_id FROM changed);
  RETURN NULL;
END $$;
CREATE TRIGGER rendition_bytes_inserted AFTER INSERT ON rendition REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();
CREATE TRIGGER rendition_bytes_updated AFTER UPDATE ON rendition REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();
CREATE TRIGGER rendition_bytes_deleted AFTER DELETE ON rendition REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();

CREATE FUNCTION sum_caption_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE video v SET caption_bytes = coalesce((SELECT sum(bytes) FROM caption WHERE video_id = v.id), 0)
  WHERE id IN (SELECT video_id FROM changed);
  RETURN NULL;
END $$;
CREATE TRIGGER caption_bytes_inserted AFTER INSERT ON caption REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_caption_bytes();
CREATE TRIGGER caption_bytes_updated AFTER UPDATE ON caption REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_caption_bytes();
CREATE TRIGGER caption_bytes_deleted AFTER DELETE ON caption REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_caption_bytes();
