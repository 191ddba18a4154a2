-- Locks a task that is still to be done, until the transaction ends; false when it is not, or when another transaction
-- holds it. Planning changes the video, which is locked first, as by everything that changes a video.
CREATE OR REPLACE FUNCTION transcode_lock(wanted_media TEXT, wanted_kind TEXT, wanted_position INTEGER) RETURNS BOOLEAN
LANGUAGE plpgsql AS $$
BEGIN
  IF wanted_kind = 'plan' THEN
    PERFORM 1 FROM video WHERE id = (SELECT video_id FROM media WHERE id = wanted_media) FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN RETURN FALSE; END IF;
  END IF;
  PERFORM 1 FROM transcode_task WHERE media_id = wanted_media AND kind = wanted_kind AND position = wanted_position
    AND done_at IS NULL AND COALESCE(leased_until, due_at) <= service_now() FOR NO KEY UPDATE SKIP LOCKED;
  RETURN FOUND;
END $$;
