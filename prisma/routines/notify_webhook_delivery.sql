-- The dashboard's live table: one notice for each account that a statement touched.
CREATE OR REPLACE FUNCTION notify_webhook_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'webhook:' || account_id) FROM (SELECT DISTINCT account_id FROM changed) AS touched;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER webhook_delivery_updated AFTER UPDATE ON webhook_delivery REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION notify_webhook_delivery();

CREATE OR REPLACE TRIGGER webhook_delivery_inserted AFTER INSERT ON webhook_delivery REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION notify_webhook_delivery();
