CREATE OR REPLACE FUNCTION notify_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'video:' || COALESCE(NEW.account_id, OLD.account_id) || ':' || COALESCE(NEW.id, OLD.id));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER video_changed
  AFTER INSERT OR UPDATE OR DELETE ON video
  FOR EACH ROW EXECUTE FUNCTION notify_video();
