-- Claims what is due of each endpoint (server/modules/webhooks/lease.ts): at most `rooms` of each, behind a place in
-- its queue. Returns a row for each queue that is free (its claim's id, null when nothing is due), then each delivery,
-- in that order; `o_at` is its endpoint's place in `endpoints`.
CREATE OR REPLACE FUNCTION claim_webhooks(endpoints TEXT[], rooms INT[], after_ms FLOAT8[], after_id BIGINT[],
  lease_ms FLOAT8)
RETURNS TABLE (o_at INT, o_claim UUID, o_id BIGINT, o_due_ms FLOAT8, o_round INT, o_attempts INT, o_payload TEXT)
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  mine TEXT[];
BEGIN
  -- No claim waits for the disk: one that a crash of the database loses was never given.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- The next statement then sees the leases of the previous holder of the lock.
  mine := lock_webhook_queues(endpoints, false);
  -- The fixed limit (MAX_CLAIM) bounds what the planner expects. A claim that has ended is gone by now, its rows those
  -- of anybody.
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT * FROM unnest(endpoints, rooms, after_ms, after_id) WITH ORDINALITY AS w (endpoint, room, behind_ms,
      behind_id, at) WHERE endpoint = ANY (mine)),
  held AS MATERIALIZED (SELECT unnest(deliveries) AS id FROM webhook_claim WHERE endpoint_id = ANY (mine)),
  due AS MATERIALIZED (
    SELECT asked.at, one.* FROM asked CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT delivery_id AS id, account_id, endpoint_id, event_id, due_at, round, attempts FROM webhook_due
        WHERE endpoint_id = asked.endpoint AND due_at <= service_now() AND delivery_id NOT IN (SELECT held.id FROM held)
          AND (due_at, delivery_id) > (to_timestamp(asked.behind_ms / 1000), asked.behind_id)
        ORDER BY due_at, delivery_id LIMIT 800) AS first
      LIMIT asked.room) AS one),
  claimed AS (
    INSERT INTO webhook_claim (account_id, endpoint_id, deliveries, until)
    SELECT min(account_id), endpoint_id, array_agg(due.id), service_now() + lease_ms * interval '1 millisecond'
      FROM due GROUP BY endpoint_id
    RETURNING id, endpoint_id)
  -- The dashboard shows whether what is tried again is in hand; first tries it shows so from the beginning.
  SELECT asked.at::int, claimed.id, NULL::bigint, NULL::float8, NULL::int, NULL::int,
    (SELECT pg_notify('reelgate', 'webhook:' || account_id)::text FROM due WHERE due.at = asked.at AND attempts > 0
      LIMIT 1)
  FROM asked LEFT JOIN claimed ON claimed.endpoint_id = asked.endpoint
  UNION ALL
  SELECT due.at::int, NULL, due.id, date_part('epoch', due_at) * 1000, round, attempts,
    (SELECT payload FROM webhook_event WHERE webhook_event.id = due.event_id)
  FROM due;
END $$;
