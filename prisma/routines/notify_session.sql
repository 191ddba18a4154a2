-- Who was signed out, or is no member any more, loses the event streams they hold open (server/modules/identity/sessions/watch-account.ts).
CREATE OR REPLACE FUNCTION notify_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'session:' || OLD.id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER user_session_ended AFTER DELETE OR UPDATE OF account_id ON user_session FOR EACH ROW
  EXECUTE FUNCTION notify_session();
