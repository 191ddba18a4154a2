-- The event streams of a view as owner end with it (server/modules/identity/sessions/watch-account.ts).
CREATE OR REPLACE FUNCTION notify_owner_view() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'session:' || OLD.session_id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER owner_view_ended AFTER UPDATE OF ended_at ON owner_view FOR EACH ROW
  EXECUTE FUNCTION notify_owner_view();
