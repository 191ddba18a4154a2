-- A key may end by itself, be put to rest and woken again, and work from some addresses alone (empty: from any).
ALTER TABLE "api_key"
  ADD COLUMN "expires_at" TIMESTAMPTZ(3),
  ADD COLUMN "disabled_at" TIMESTAMPTZ(3),
  ADD COLUMN "allowed_ips" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];

-- What of a key is held in memory now includes these.
DROP TRIGGER api_key_changed ON api_key;
CREATE TRIGGER api_key_changed
  AFTER DELETE OR UPDATE OF name, scopes, daily_quota, revoked_at, expires_at, disabled_at, allowed_ips ON api_key
  FOR EACH ROW EXECUTE FUNCTION notify_api_key();

-- Each member puts the first steps away for themselves, in each account.
ALTER TABLE "membership" ADD COLUMN "first_steps_done_at" TIMESTAMPTZ(3);
