CREATE OR REPLACE FUNCTION count_records() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_sign INT := CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
BEGIN
  IF TG_TABLE_NAME = 'webhook_event' THEN
    INSERT INTO storage_count (account_id, event_bytes)
      SELECT account_id, sum(event_bytes(changed)) * v_sign FROM changed GROUP BY account_id;
  ELSE
    INSERT INTO storage_count (account_id, metadata_bytes)
      SELECT account_id, sum(upload_text_bytes(changed)) * v_sign FROM changed GROUP BY account_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER webhook_events_added AFTER INSERT ON webhook_event REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE OR REPLACE TRIGGER webhook_events_removed AFTER DELETE ON webhook_event REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE OR REPLACE TRIGGER upload_texts_added AFTER INSERT ON direct_upload REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_records();

CREATE OR REPLACE TRIGGER upload_texts_removed AFTER DELETE ON direct_upload REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_records();
