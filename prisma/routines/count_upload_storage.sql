CREATE OR REPLACE FUNCTION count_upload_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO storage_count (account_id, uploads, unfinished_bytes) VALUES (OLD.account_id, -1, -OLD.bytes);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO storage_count (account_id, uploads, unfinished_bytes) VALUES (NEW.account_id, 1, NEW.bytes);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER upload_storage_counted AFTER INSERT OR DELETE OR UPDATE OF account_id, bytes
  ON upload FOR EACH ROW EXECUTE FUNCTION count_upload_storage();
