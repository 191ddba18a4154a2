CREATE OR REPLACE FUNCTION queue_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status IN ('PENDING', 'PROCESSING') AND NEW.deleted_at IS NULL THEN
    -- A video that was being transcoded when it was deleted or queued from elsewhere has no worker now.
    INSERT INTO transcode_queue (video_id, account_id) VALUES (NEW.id, NEW.account_id)
      ON CONFLICT (video_id) DO NOTHING;
    IF FOUND THEN INSERT INTO transcode_task (video_id, kind, position) VALUES (NEW.id, 'plan', 0); END IF;
    IF FOUND OR NEW.status = 'PENDING' THEN PERFORM pg_notify('reelgate', 'transcode-due:' || NEW.id); END IF;
  ELSE
    DELETE FROM transcode_queue WHERE video_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER video_inserted_queue AFTER INSERT ON video FOR EACH ROW EXECUTE FUNCTION queue_video();

CREATE OR REPLACE TRIGGER video_changed_queue AFTER UPDATE ON video FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
    EXECUTE FUNCTION queue_video();
