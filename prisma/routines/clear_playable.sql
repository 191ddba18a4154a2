-- What a video that is not finished had to play is gone once it waits, fails or is deleted: its tasks go with its place
-- in the queue.
CREATE OR REPLACE FUNCTION clear_playable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.playable_at := NULL;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER video_not_playable BEFORE UPDATE ON video FOR EACH ROW
  WHEN (NEW.playable_at IS NOT NULL
    AND (NEW.status IN ('PENDING', 'FAILED') OR NEW.status = 'PROCESSING' AND NEW.deleted_at IS NOT NULL))
  EXECUTE FUNCTION clear_playable();
