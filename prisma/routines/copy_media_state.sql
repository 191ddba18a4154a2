-- What a video shows of the media that plays is that of the media, whoever writes it: lists, and the reads of players and
-- of the API, need the row of the video alone.
CREATE OR REPLACE FUNCTION copy_media_state() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  m media;
BEGIN
  SELECT * INTO m FROM media WHERE id = NEW.media_id AND video_id = NEW.id;
  IF FOUND THEN
    NEW.status := m.status;
    NEW.duration_sec := m.duration_sec;
    NEW.target_quality := m.target_quality;
    NEW.qualities := m.qualities;
    NEW.encrypted := m.encrypted;
    NEW.playable_at := m.playable_at;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER video_copies_media BEFORE UPDATE OF media_id, status, duration_sec, target_quality, qualities,
  encrypted, playable_at ON video
  FOR EACH ROW WHEN (NEW.media_id IS NOT NULL) EXECUTE FUNCTION copy_media_state();
