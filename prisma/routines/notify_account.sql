CREATE OR REPLACE FUNCTION notify_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'account:' || NEW.id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER account_changed AFTER UPDATE OF tier, embed_domains, plays_early ON account FOR EACH ROW
  EXECUTE FUNCTION notify_account();
