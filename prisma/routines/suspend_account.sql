-- Every process forgets what it holds of the account's media, and dispatchers what they hold of its endpoints.
CREATE OR REPLACE FUNCTION suspend_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE api_key SET suspended = NEW.suspended_at IS NOT NULL
    WHERE account_id = NEW.id AND suspended <> (NEW.suspended_at IS NOT NULL);
  PERFORM pg_notify('reelgate', 'suspension:' || NEW.id);
  PERFORM pg_notify('reelgate', 'webhook-receiver:' || id) FROM webhook_endpoint WHERE account_id = NEW.id;
  PERFORM pg_notify('reelgate', 'webhook-due:');
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER account_suspended AFTER UPDATE OF suspended_at ON account
  FOR EACH ROW WHEN ((OLD.suspended_at IS NULL) <> (NEW.suspended_at IS NULL)) EXECUTE FUNCTION suspend_account();
