-- Attempts are deleted by delete_webhook_attempts, which subtracts them. A subquery and no join, so that each account is
-- found by index, whatever the planner makes of `added`.
CREATE OR REPLACE FUNCTION count_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO storage_count (account_id, event_bytes)
    SELECT account_id, sum(bytes) FROM (
      SELECT (SELECT d.account_id FROM webhook_delivery d WHERE d.id = added.delivery_id), attempt_bytes(added) AS bytes FROM added) AS a
    WHERE account_id IS NOT NULL GROUP BY account_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER webhook_attempts_added AFTER INSERT ON webhook_attempt REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION count_attempts();
