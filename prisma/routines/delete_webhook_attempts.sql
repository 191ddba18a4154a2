CREATE OR REPLACE FUNCTION delete_webhook_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM webhook_attempt USING gone WHERE webhook_attempt.delivery_id = gone.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER webhook_delivery_deleted AFTER DELETE ON webhook_delivery REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION delete_webhook_attempts();
