-- Renews the leases of a running dispatcher (server/modules/webhooks/lease-keeper.ts). Those that another dispatcher has
-- deleted stay deleted.
CREATE OR REPLACE FUNCTION renew_webhook_leases(leases UUID[], lease_ms FLOAT8[]) RETURNS VOID
LANGUAGE plpgsql AS $$
BEGIN
  -- A renewal that a crash of the database loses is repeated, so the commit need not wait for the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE webhook_lease l SET expires_at = service_now() + renewed.ms * interval '1 millisecond'
  FROM unnest(leases, lease_ms) AS renewed (id, ms)
  WHERE l.id = renewed.id
    AND l.id IN (SELECT id FROM webhook_lease WHERE id = ANY (leases) ORDER BY id FOR UPDATE SKIP LOCKED);
END $$;
