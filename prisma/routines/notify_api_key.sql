-- Change notices, sent by the database so that no writer can forget them. They empty caches (server/platform/cache.ts)
-- and move the dashboard (server/modules/dashboard/watch-videos.ts).
CREATE OR REPLACE FUNCTION notify_api_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'key:' || encode(COALESCE(NEW.hash, OLD.hash), 'hex'));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER api_key_changed
  AFTER DELETE OR UPDATE OF name, scopes, daily_quota, revoked_at, expires_at, disabled_at, allowed_ips ON api_key
  FOR EACH ROW EXECUTE FUNCTION notify_api_key();

CREATE OR REPLACE TRIGGER api_key_suspended AFTER UPDATE OF suspended ON api_key FOR EACH ROW
  EXECUTE FUNCTION notify_api_key();
