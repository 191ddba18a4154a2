-- Ends the right of a key to change videos in order: waits for the changes that it has begun, and lets none begin until
-- this transaction ends. Changes hold the same lock shared (server/modules/access/keys/still-permitted.ts). An advisory
-- lock, whose queue is fair: shared locks of a row that follow each other would defer this one without end.
CREATE OR REPLACE FUNCTION await_key_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1, hashtext(OLD.id));
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER api_key_awaits_changes BEFORE UPDATE OF scopes, revoked_at, disabled_at ON api_key FOR EACH ROW
  EXECUTE FUNCTION await_key_changes();
