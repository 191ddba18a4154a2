-- Dispatchers that have deliveries of an endpoint in hand read it again.
CREATE OR REPLACE FUNCTION notify_webhook_receiver() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'webhook-receiver:' || OLD.id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER webhook_endpoint_gone AFTER DELETE ON webhook_endpoint FOR EACH ROW
  EXECUTE FUNCTION notify_webhook_receiver();

CREATE OR REPLACE TRIGGER webhook_endpoint_moved AFTER UPDATE ON webhook_endpoint FOR EACH ROW
  WHEN (OLD.url IS DISTINCT FROM NEW.url OR OLD.secret IS DISTINCT FROM NEW.secret OR OLD.disabled_at IS DISTINCT
    FROM NEW.disabled_at OR OLD.retry_schedule IS DISTINCT FROM NEW.retry_schedule)
  EXECUTE FUNCTION notify_webhook_receiver();
