-- Progress has a topic of its own: it changes every second while a video is transcoded, and only open pages show it.
CREATE OR REPLACE FUNCTION notify_media() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  topic TEXT := 'video';
  subject TEXT := COALESCE(NEW.account_id, OLD.account_id) || ':' || COALESCE(NEW.video_id, OLD.video_id);
BEGIN
  IF TG_OP = 'UPDATE' THEN
    NEW.progress := OLD.progress;
    NEW.eta_sec := OLD.eta_sec;
    IF NEW IS NOT DISTINCT FROM OLD THEN topic := 'video-progress'; END IF;
  END IF;
  PERFORM pg_notify('reelgate', topic || ':' || subject);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER media_changed
  AFTER INSERT OR UPDATE OR DELETE ON media
  FOR EACH ROW EXECUTE FUNCTION notify_media();
