-- The state of each delivery; `attempt_count` and `last_error` are those of its latest replay.
CREATE OR REPLACE VIEW webhook_delivery_state AS
SELECT d.id, d.account_id, d.endpoint_id, d.event_id, d.replay, d.failure_reason, q.delivery_id AS queued_id, q.due_at,
  CASE WHEN q.delivery_id IS NOT NULL THEN 'PENDING'
    WHEN d.failure_reason IS NOT NULL THEN 'DEAD' ELSE 'DELIVERED' END AS status,
  COALESCE((SELECT a.number FROM webhook_attempt a WHERE a.delivery_id = d.id AND a.replay = d.replay ORDER BY a.id DESC
    LIMIT 1), 0) AS attempt_count,
  COALESCE(d.failure_reason, (SELECT a.error FROM webhook_attempt a WHERE a.delivery_id = d.id AND a.replay = d.replay
    ORDER BY a.id DESC LIMIT 1)) AS last_error,
  GREATEST(d.changed_at, (SELECT a.at + a.duration_ms * interval '1 millisecond' FROM webhook_attempt a
    WHERE a.delivery_id = d.id AND a.replay = d.replay ORDER BY a.id DESC LIMIT 1)) AS changed_at
FROM webhook_delivery d LEFT JOIN webhook_queue q ON q.delivery_id = d.id AND q.endpoint_id = d.endpoint_id;
