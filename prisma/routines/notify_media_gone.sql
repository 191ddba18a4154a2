-- Stops the workers that have tasks of the media in hand at once. A task of further renditions leaves the status as it is.
CREATE OR REPLACE FUNCTION notify_media_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'media-gone:' || OLD.id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER media_failed AFTER UPDATE OF status ON media FOR EACH ROW
  WHEN (NEW.status = 'FAILED' AND OLD.status = 'PROCESSING') EXECUTE FUNCTION notify_media_gone();

CREATE OR REPLACE TRIGGER media_row_gone AFTER DELETE ON media FOR EACH ROW EXECUTE FUNCTION notify_media_gone();
