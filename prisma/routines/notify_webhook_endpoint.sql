CREATE OR REPLACE FUNCTION notify_webhook_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'webhook:' || COALESCE(NEW.account_id, OLD.account_id));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER webhook_endpoint_changed AFTER INSERT OR UPDATE OR DELETE ON webhook_endpoint
  FOR EACH ROW EXECUTE FUNCTION notify_webhook_endpoint();
