-- Captions that change or go stay as a version, whoever changes them: 20 of a language with those that play, in the 40
-- languages that changed last. A transaction that changes the captions of a video holds its row.
CREATE OR REPLACE FUNCTION keep_caption_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_number INTEGER;
BEGIN
  IF TG_OP = 'INSERT' THEN
    -- What was removed last was put back.
    DELETE FROM caption_version v WHERE video_id = NEW.video_id AND language = NEW.language AND name = NEW.name
      AND number = (SELECT max(number) FROM caption_version WHERE video_id = v.video_id AND language = v.language);
    RETURN NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.name = OLD.name THEN
    NEW.changed_by := OLD.changed_by;
    RETURN NEW;
  END IF;
  -- A deleted video takes its versions along.
  IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM video WHERE id = OLD.video_id) THEN RETURN OLD; END IF;
  SELECT coalesce(max(number), 0) + 1 INTO v_number FROM caption_version
    WHERE video_id = OLD.video_id AND language = OLD.language;
  INSERT INTO caption_version (video_id, language, number, label, name, cues, bytes, from_source, generated, edited,
    changed_by, created_at, replaced_at)
  VALUES (OLD.video_id, OLD.language, v_number, OLD.label, OLD.name, OLD.cues, OLD.bytes, OLD.from_source, OLD.generated,
    OLD.edited, OLD.changed_by, OLD.created_at, service_now());
  DELETE FROM caption_version
    WHERE video_id = OLD.video_id AND language = OLD.language AND number <= v_number - 19;
  DELETE FROM caption_version WHERE video_id = OLD.video_id AND language NOT IN (
    SELECT language FROM caption_version WHERE video_id = OLD.video_id
    GROUP BY language ORDER BY max(replaced_at) DESC, language LIMIT 40);
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  NEW.created_at := service_now();
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER caption_version_kept BEFORE UPDATE OF name OR DELETE ON caption
  FOR EACH ROW EXECUTE FUNCTION keep_caption_version();

CREATE OR REPLACE TRIGGER caption_put_back AFTER INSERT ON caption
  FOR EACH ROW EXECUTE FUNCTION keep_caption_version();
