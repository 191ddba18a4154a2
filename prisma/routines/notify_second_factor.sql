CREATE OR REPLACE FUNCTION notify_second_factor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'membership:' || account_id || ':' || user_id) FROM membership WHERE user_id = NEW.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER second_factor_changed AFTER UPDATE OF totp_confirmed_at ON app_user FOR EACH ROW
  WHEN ((OLD.totp_confirmed_at IS NULL) <> (NEW.totp_confirmed_at IS NULL)) EXECUTE FUNCTION notify_second_factor();
