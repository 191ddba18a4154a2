-- In addition to the video's own notice, which any progress sends too: withheld segments are kept as one list.
CREATE OR REPLACE FUNCTION notify_takedown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'takedown:' || NEW.id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER video_taken_down AFTER UPDATE OF taken_down_at ON video
  FOR EACH ROW WHEN ((OLD.taken_down_at IS NULL) <> (NEW.taken_down_at IS NULL)) EXECUTE FUNCTION notify_takedown();
