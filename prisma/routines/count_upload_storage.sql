CREATE OR REPLACE FUNCTION count_upload_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Uploads that are inserted by one statement are one row: the API creates many at once.
  IF TG_OP = 'INSERT' THEN
    INSERT INTO storage_count (account_id, uploads, unfinished_bytes)
      SELECT account_id, count(*), sum(bytes) FROM added GROUP BY account_id;
    RETURN NULL;
  END IF;
  INSERT INTO storage_count (account_id, uploads, unfinished_bytes) VALUES (OLD.account_id, -1, -OLD.bytes);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO storage_count (account_id, uploads, unfinished_bytes) VALUES (NEW.account_id, 1, NEW.bytes);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER upload_storage_added AFTER INSERT
  ON upload REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_upload_storage();

CREATE OR REPLACE TRIGGER upload_storage_counted AFTER DELETE OR UPDATE OF account_id, bytes
  ON upload FOR EACH ROW EXECUTE FUNCTION count_upload_storage();
