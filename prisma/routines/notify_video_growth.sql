-- Segments that a playable video gained. Their topic is not that of the video: they come every second, and change
-- neither its object nor the lists that name it.
CREATE OR REPLACE FUNCTION notify_video_growth() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'video-growth:' || account_id || ':' || video_id) FROM media
    WHERE id = NEW.media_id AND status = 'PROCESSING' AND playable_at IS NOT NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER transcode_task_grew AFTER UPDATE OF result ON transcode_task FOR EACH ROW
  WHEN (NEW.kind IN ('copy', 'video', 'audio') AND OLD.result IS DISTINCT FROM NEW.result)
  EXECUTE FUNCTION notify_video_growth();
