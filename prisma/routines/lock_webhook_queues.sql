-- Locks the queues of endpoints until the transaction ends and deletes their expired leases, except those whose
-- attempts are being recorded. Returns the locked queues; with `waiting` false those that another transaction holds
-- are skipped.
CREATE OR REPLACE FUNCTION lock_webhook_queues(endpoints TEXT[], waiting BOOLEAN) RETURNS TEXT[] LANGUAGE plpgsql AS $$
BEGIN
  IF waiting THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(id, 0)) FROM (SELECT id FROM unnest(endpoints) AS id
      ORDER BY id) AS ordered;
  ELSE
    endpoints := ARRAY(SELECT id FROM unnest(endpoints) AS id WHERE pg_try_advisory_xact_lock(hashtextextended(id, 0)));
  END IF;
  DELETE FROM webhook_lease WHERE lease_id IN (
    SELECT lease_id FROM webhook_lease
    WHERE endpoint_id = ANY (endpoints) AND leased_until <= service_now() FOR UPDATE SKIP LOCKED);
  RETURN endpoints;
END $$;
