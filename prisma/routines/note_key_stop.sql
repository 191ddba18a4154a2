-- Written by the database, as change notices are, so that a key stopped by whatever program or person has its receipt.
-- The processes asked are those that take requests and were heard of within half a minute.
CREATE OR REPLACE FUNCTION note_key_stop() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := service_clock();
  stop_id text := 'rcp_' || replace(gen_random_uuid()::text, '-', '');
  stopped text;
BEGIN
  IF NEW.revoked_at <= moment AND (OLD.revoked_at IS NULL OR OLD.revoked_at > moment) THEN stopped := 'key.revocation';
  ELSIF NEW.disabled_at IS NOT NULL AND OLD.disabled_at IS NULL THEN stopped := 'key.disabled';
  ELSE RETURN NULL;
  END IF;
  INSERT INTO key_stop (id, account_id, key_id, kind, at) VALUES (stop_id, NEW.account_id, NEW.id, stopped, moment);
  INSERT INTO key_stop_process (stop_id, process_id, host, pid, version, started_at, last_seen_at)
    SELECT stop_id, id, host, pid, version, started_at, heartbeat_at FROM process
    WHERE 'web' = ANY (roles) AND heartbeat_at > moment - interval '30 seconds';
  PERFORM pg_notify('reelgate', 'key-stop:' || stop_id || ':' || NEW.id || ':' || encode(NEW.hash, 'hex'));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER api_key_stopped AFTER UPDATE OF revoked_at, disabled_at ON api_key FOR EACH ROW
  EXECUTE FUNCTION note_key_stop();
