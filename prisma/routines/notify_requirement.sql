-- A member whose right to an account may have ended or begun loses the event streams they hold open
-- (server/modules/identity/sessions/watch-account.ts looks again).
CREATE OR REPLACE FUNCTION notify_requirement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'membership:' || account_id || ':' || user_id) FROM membership
    WHERE account_id = NEW.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER account_requirement_changed AFTER UPDATE OF requires_second_factor ON account FOR EACH ROW
  WHEN (OLD.requires_second_factor IS DISTINCT FROM NEW.requires_second_factor) EXECUTE FUNCTION notify_requirement();
