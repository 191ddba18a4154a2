-- Locks a video that is still to be transcoded; false when it is not, or when another transaction holds it.
CREATE OR REPLACE FUNCTION transcode_lock(wanted TEXT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM video WHERE id = wanted AND deleted_at IS NULL AND status IN ('PENDING',
    'PROCESSING') FOR NO KEY UPDATE SKIP LOCKED;
  RETURN FOUND;
END $$;
