-- Attempts are deleted by delete_webhook_attempts, which subtracts them.
CREATE OR REPLACE FUNCTION count_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO record_count (account_id, event_bytes)
    SELECT d.account_id, sum(attempt_bytes(added)) FROM added JOIN webhook_delivery d ON d.id = added.delivery_id
    GROUP BY d.account_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER webhook_attempts_added AFTER INSERT ON webhook_attempt REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_attempts();
