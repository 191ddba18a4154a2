CREATE OR REPLACE FUNCTION count_upload_texts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO record_count (account_id, metadata_bytes)
    SELECT account_id, sum(upload_text_bytes(changed)) * CASE WHEN TG_OP = 'DELETE' THEN -1 ELSE 1 END
    FROM changed GROUP BY account_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER upload_texts_added AFTER INSERT ON direct_upload REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_upload_texts();

CREATE OR REPLACE TRIGGER upload_texts_removed AFTER DELETE ON direct_upload REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_upload_texts();
