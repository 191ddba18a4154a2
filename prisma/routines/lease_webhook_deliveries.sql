-- Leases due deliveries of each endpoint (server/modules/webhooks/delivery/lease.ts): at most `limits` of each, behind a
-- position in its queue. Returns a row for each queue that no other dispatcher locks, with its lease's id (null when
-- nothing is due) and whether the lease is as large as allowed, then a row for each delivery. `o_at` is the position of
-- its endpoint in `endpoints`.
CREATE OR REPLACE FUNCTION lease_webhook_deliveries(endpoints TEXT[], limits INT[], after_ms FLOAT8[],
  after_ids BIGINT[], lease_ms FLOAT8)
RETURNS TABLE (o_at INT, o_lease UUID, o_full BOOLEAN, o_id BIGINT, o_due_ms FLOAT8, o_replay INT, o_attempt_count INT,
  o_payload TEXT)
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  locked TEXT[];
BEGIN
  -- A lease that a crash of the database loses was never returned, so the commit need not wait for the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- The next statement then sees the leases of the previous holder of the lock.
  locked := lock_webhook_queues(endpoints, false);
  -- The inner, constant limit bounds what the planner expects. Expired leases are deleted by now.
  RETURN QUERY
  WITH requested AS MATERIALIZED (
    SELECT r.at, r.endpoint, r.behind_ms, r.behind_id, LEAST(r.most, webhook_lease_limit()) AS most
    FROM unnest(endpoints, limits, after_ms, after_ids) WITH ORDINALITY AS r (endpoint, most, behind_ms, behind_id, at)
    WHERE r.endpoint = ANY (locked)),
  held AS MATERIALIZED (SELECT unnest(delivery_ids) AS id FROM webhook_lease WHERE endpoint_id = ANY (locked)),
  due AS MATERIALIZED (
    SELECT requested.at, one.* FROM requested CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT delivery_id AS id, account_id, endpoint_id, event_id, due_at, replay, attempt_count FROM webhook_queue
        WHERE endpoint_id = requested.endpoint AND due_at <= service_now()
          AND delivery_id NOT IN (SELECT held.id FROM held)
          AND (due_at, delivery_id) > (to_timestamp(requested.behind_ms / 1000), requested.behind_id)
        ORDER BY due_at, delivery_id LIMIT webhook_lease_limit()) AS first
      LIMIT requested.most) AS one),
  leased AS (
    INSERT INTO webhook_lease (account_id, endpoint_id, delivery_ids, leased_until)
    SELECT min(account_id), endpoint_id, array_agg(due.id), service_now() + lease_ms * interval '1 millisecond'
      FROM due GROUP BY endpoint_id
    RETURNING lease_id AS id, endpoint_id, cardinality(delivery_ids) AS size)
  -- The dashboard shows first attempts as in progress from their creation; a leased retry needs a notice.
  SELECT requested.at::int, leased.id, leased.size = requested.most, NULL::bigint, NULL::float8, NULL::int, NULL::int,
    (SELECT pg_notify('reelgate', 'webhook:' || account_id)::text FROM due
      WHERE due.at = requested.at AND attempt_count > 0 LIMIT 1)
  FROM requested LEFT JOIN leased ON leased.endpoint_id = requested.endpoint
  UNION ALL
  SELECT due.at::int, NULL, NULL, due.id, date_part('epoch', due_at) * 1000, replay, attempt_count,
    (SELECT payload FROM webhook_event WHERE webhook_event.id = due.event_id)
  FROM due;
END $$;
