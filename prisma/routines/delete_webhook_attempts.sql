CREATE OR REPLACE FUNCTION delete_webhook_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH lost AS (
    DELETE FROM webhook_attempt a USING gone WHERE a.delivery_id = gone.id RETURNING gone.account_id, attempt_bytes(a) AS bytes)
  INSERT INTO storage_count (account_id, event_bytes) SELECT account_id, -sum(bytes) FROM lost GROUP BY account_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER webhook_delivery_deleted AFTER DELETE ON webhook_delivery REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION delete_webhook_attempts();
