-- What media that is not finished had to play is gone once it waits or fails: its tasks go with its place in the queue.
CREATE OR REPLACE FUNCTION clear_playable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.playable_at := NULL;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER media_not_playable BEFORE UPDATE ON media FOR EACH ROW
  WHEN (NEW.playable_at IS NOT NULL AND NEW.status IN ('PENDING', 'FAILED')) EXECUTE FUNCTION clear_playable();
