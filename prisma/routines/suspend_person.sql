-- Deleting a session tells the streams that it opened. Sessions that begin later are refused by
-- server/modules/identity/sessions/session.ts.
CREATE OR REPLACE FUNCTION suspend_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM user_session WHERE user_id = NEW.id;
  DELETE FROM email_link WHERE purpose = 'password-reset' AND email = NEW.email;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER person_suspended AFTER UPDATE OF suspended_at ON app_user
  FOR EACH ROW WHEN (OLD.suspended_at IS NULL AND NEW.suspended_at IS NOT NULL) EXECUTE FUNCTION suspend_person();
