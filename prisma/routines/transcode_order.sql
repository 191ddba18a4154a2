-- The rule: the order in which waiting tasks are begun if nothing else comes. Accounts take turns (start-time fair
-- queueing), a task at the cost of its weight. Within an account the videos that cannot be watched yet are first, the
-- oldest of them before the others. Tasks that wait for their next try have no place yet. Of the chunks of a video only
-- the first that waits has one: the others follow it.
CREATE OR REPLACE VIEW transcode_order AS
SELECT video_id, kind, position, account_id, tier, queued_at, turn, cost,
  row_number() OVER (ORDER BY turn, queued_at, video_id, kind, position) AS place
FROM (
  SELECT w.video_id, w.kind, w.position, w.account_id, a.tier::text AS tier, w.queued_at,
    transcode_turn_cost(a.tier) * w.weight AS cost,
    GREATEST(COALESCE(t.turn, 0), (SELECT turn FROM transcode_clock)) + transcode_turn_cost(a.tier) * COALESCE(
      sum(w.weight) OVER (PARTITION BY w.account_id ORDER BY w.is_later, w.queued_at, w.video_id, w.kind, w.position
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS turn
  FROM (
    SELECT DISTINCT ON (p.video_id, p.kind) p.video_id, p.kind, p.position, p.weight, q.account_id, q.queued_at,
      p.kind = 'video' AND p.position > 0 AS is_later
    FROM transcode_task p JOIN transcode_queue q ON q.video_id = p.video_id
    WHERE p.done_at IS NULL AND p.leased_until IS NULL AND p.due_at <= service_now()
    ORDER BY p.video_id, p.kind, p.position
  ) AS w
  JOIN account a ON a.id = w.account_id
  LEFT JOIN transcode_turn t ON t.account_id = w.account_id
) AS waiting;
