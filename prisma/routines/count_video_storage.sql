-- Captions and the poster that the owner uploaded; the rest is counted with the media.
CREATE OR REPLACE FUNCTION count_video_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_count (account_id, videos, rendition_bytes)
    VALUES (OLD.account_id, -1, -(OLD.caption_bytes + OLD.poster_bytes));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_count (account_id, videos, rendition_bytes)
    VALUES (NEW.account_id, 1, NEW.caption_bytes + NEW.poster_bytes);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER video_storage_counted AFTER INSERT OR DELETE OR UPDATE OF account_id, caption_bytes, poster_bytes
  ON video FOR EACH ROW EXECUTE FUNCTION count_video_storage();
