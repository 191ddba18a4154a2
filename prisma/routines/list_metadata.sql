-- Keeps `video_metadata` equal to the metadata of a video.
CREATE OR REPLACE FUNCTION list_metadata() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    DELETE FROM video_metadata WHERE video_id = NEW.id AND pair NOT IN
      (SELECT metadata_pair(key, value) FROM jsonb_each_text(NEW.metadata));
  END IF;
  INSERT INTO video_metadata (video_id, account_id, pair, video_created_at)
  SELECT NEW.id, NEW.account_id, metadata_pair(key, value), NEW.created_at FROM jsonb_each_text(NEW.metadata)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER video_metadata_inserted AFTER INSERT ON video FOR EACH ROW
  WHEN (NEW.metadata <> '{}') EXECUTE FUNCTION list_metadata();

CREATE OR REPLACE TRIGGER video_metadata_updated AFTER UPDATE OF metadata ON video FOR EACH ROW
  WHEN (NEW.metadata IS DISTINCT FROM OLD.metadata) EXECUTE FUNCTION list_metadata();
