CREATE OR REPLACE FUNCTION count_media_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_count (account_id, original_bytes, rendition_bytes)
    VALUES (OLD.account_id, -OLD.source_bytes, -(OLD.rendition_bytes + OLD.picture_bytes));
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_count (account_id, original_bytes, rendition_bytes)
    VALUES (NEW.account_id, NEW.source_bytes, NEW.rendition_bytes + NEW.picture_bytes);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER media_storage_counted AFTER INSERT OR DELETE OR UPDATE OF account_id, source_bytes,
  rendition_bytes, picture_bytes
  ON media FOR EACH ROW EXECUTE FUNCTION count_media_storage();
