-- Rows that replace the source of a video store bytes and are no videos.
CREATE OR REPLACE FUNCTION count_video_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_count (account_id, videos, original_bytes, rendition_bytes) VALUES (OLD.account_id,
      CASE WHEN OLD.replaces IS NULL THEN -1 ELSE 0 END,
      -OLD.source_bytes,
      -(OLD.rendition_bytes + OLD.caption_bytes + OLD.picture_bytes + OLD.poster_bytes));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_count (account_id, videos, original_bytes, rendition_bytes) VALUES (NEW.account_id,
      CASE WHEN NEW.replaces IS NULL THEN 1 ELSE 0 END,
      NEW.source_bytes,
      NEW.rendition_bytes + NEW.caption_bytes + NEW.picture_bytes + NEW.poster_bytes);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER video_storage_counted AFTER INSERT OR DELETE OR UPDATE OF account_id, source_bytes,
  rendition_bytes, caption_bytes, picture_bytes, poster_bytes
  ON video FOR EACH ROW EXECUTE FUNCTION count_video_storage();
