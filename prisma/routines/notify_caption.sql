-- A video's playlists name its captions: changing a caption changes the video. A deleted video sends its own notice.
CREATE OR REPLACE FUNCTION notify_caption() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE of_account text;
BEGIN
  SELECT account_id INTO of_account FROM video WHERE id = COALESCE(NEW.video_id, OLD.video_id);
  IF FOUND THEN
    PERFORM pg_notify('reelgate', 'video:' || of_account || ':' || COALESCE(NEW.video_id, OLD.video_id));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER caption_changed
  AFTER INSERT OR UPDATE OR DELETE ON caption
  FOR EACH ROW EXECUTE FUNCTION notify_caption();
