-- Locks queues until the transaction ends and removes their ended claims; a claim whose outcomes are being written
-- stays. Returns the queues that were locked: without waiting, those that another transaction holds are left out.
CREATE OR REPLACE FUNCTION lock_webhook_queues(endpoints TEXT[], waiting BOOLEAN) RETURNS TEXT[] LANGUAGE plpgsql AS $$
BEGIN
  IF waiting THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(id, 0)) FROM (SELECT id FROM unnest(endpoints) AS id
      ORDER BY id) AS ordered;
  ELSE
    endpoints := ARRAY(SELECT id FROM unnest(endpoints) AS id WHERE pg_try_advisory_xact_lock(hashtextextended(id, 0)));
  END IF;
  DELETE FROM webhook_claim WHERE id IN (
    SELECT id FROM webhook_claim WHERE endpoint_id = ANY (endpoints) AND until <= service_now() FOR UPDATE SKIP LOCKED);
  RETURN endpoints;
END $$;
