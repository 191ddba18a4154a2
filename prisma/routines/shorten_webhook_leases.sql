-- Removes deliveries from leases, and deletes the leases in `ended`.
CREATE OR REPLACE FUNCTION shorten_webhook_leases(leases UUID[], deliveries BIGINT[], ended UUID[]) RETURNS VOID
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  DELETE FROM webhook_lease WHERE lease_id = ANY (ended);
  WITH removed AS MATERIALIZED (SELECT unnest(deliveries) AS id)
  UPDATE webhook_lease l SET delivery_ids = ARRAY(SELECT one FROM unnest(l.delivery_ids) AS one
    WHERE one NOT IN (SELECT removed.id FROM removed))
  WHERE l.lease_id IN (SELECT lease_id FROM webhook_lease WHERE lease_id = ANY (leases) ORDER BY lease_id FOR UPDATE);
END $$;
