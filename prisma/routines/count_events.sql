CREATE OR REPLACE FUNCTION count_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO record_count (account_id, event_bytes)
    SELECT account_id, sum(event_bytes(changed)) * CASE WHEN TG_OP = 'DELETE' THEN -1 ELSE 1 END
    FROM changed GROUP BY account_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER webhook_events_added AFTER INSERT ON webhook_event REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_events();

CREATE OR REPLACE TRIGGER webhook_events_removed AFTER DELETE ON webhook_event REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION count_events();
