-- Stops the workers that have tasks of the video in hand at once.
CREATE OR REPLACE FUNCTION notify_video_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'video-gone:' || OLD.id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER video_gone AFTER UPDATE OF deleted_at, status ON video FOR EACH ROW
  WHEN ((NEW.deleted_at IS NOT NULL OR NEW.status = 'FAILED') AND OLD.status = 'PROCESSING') EXECUTE FUNCTION notify_video_gone();

CREATE OR REPLACE TRIGGER video_row_gone AFTER DELETE ON video FOR EACH ROW
  WHEN (OLD.status = 'PROCESSING') EXECUTE FUNCTION notify_video_gone();
