CREATE OR REPLACE FUNCTION count_video_texts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_bytes BIGINT := 0;
BEGIN
  IF TG_OP <> 'INSERT' THEN v_bytes := v_bytes - video_text_bytes(OLD); END IF;
  IF TG_OP <> 'DELETE' THEN v_bytes := v_bytes + video_text_bytes(NEW); END IF;
  IF v_bytes <> 0 THEN
    INSERT INTO storage_count (account_id, metadata_bytes) VALUES (COALESCE(NEW.account_id, OLD.account_id), v_bytes);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER video_texts_counted AFTER INSERT OR DELETE OR UPDATE OF title, description, external_id, metadata
  ON video FOR EACH ROW EXECUTE FUNCTION count_video_texts();
