-- The state of each delivery; `attempts` and `outcome` are those of its present round.
CREATE OR REPLACE VIEW webhook_delivery_state AS
SELECT d.id, d.account_id, d.endpoint_id, d.event_id, d.round, d.died_of, q.delivery_id AS queued_id, q.due_at,
  CASE WHEN q.delivery_id IS NOT NULL THEN 'PENDING'
    WHEN d.died_of IS NOT NULL THEN 'DEAD' ELSE 'DELIVERED' END AS status,
  COALESCE((SELECT a.number FROM webhook_attempt a WHERE a.delivery_id = d.id AND a.round = d.round ORDER BY a.id DESC
    LIMIT 1), 0) AS attempts,
  COALESCE(d.died_of, (SELECT a.problem FROM webhook_attempt a WHERE a.delivery_id = d.id AND a.round = d.round
    ORDER BY a.id DESC LIMIT 1)) AS outcome,
  GREATEST(d.changed_at, (SELECT a.at + a.duration_ms * interval '1 millisecond' FROM webhook_attempt a
    WHERE a.delivery_id = d.id AND a.round = d.round ORDER BY a.id DESC LIMIT 1)) AS changed_at
FROM webhook_delivery d LEFT JOIN webhook_due q ON q.delivery_id = d.id AND q.endpoint_id = d.endpoint_id;
