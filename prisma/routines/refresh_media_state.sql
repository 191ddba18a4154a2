-- Has the video of media that changed copy it again (copy_media_state.sql), if it is what plays.
CREATE OR REPLACE FUNCTION refresh_media_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE video SET media_id = media_id WHERE id = NEW.video_id AND media_id = NEW.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER media_inserted_state AFTER INSERT ON media
  FOR EACH ROW EXECUTE FUNCTION refresh_media_state();

CREATE OR REPLACE TRIGGER media_changed_state AFTER UPDATE OF status, duration_sec, target_quality, qualities, encrypted,
  playable_at ON media
  FOR EACH ROW WHEN ((OLD.status, OLD.duration_sec, OLD.target_quality, OLD.qualities, OLD.encrypted, OLD.playable_at)
    IS DISTINCT FROM (NEW.status, NEW.duration_sec, NEW.target_quality, NEW.qualities, NEW.encrypted, NEW.playable_at))
  EXECUTE FUNCTION refresh_media_state();
