-- The rule: the order in which waiting videos are begun if nothing else comes. Accounts take turns (start-time fair
-- queueing); within an account the oldest is first. Videos that wait for their next try have no position yet.
CREATE OR REPLACE VIEW transcode_order AS
SELECT video_id, account_id, turn, cost, row_number() OVER (ORDER BY turn, queued_at, video_id) AS position
FROM (
  SELECT q.video_id, q.account_id, q.queued_at, transcode_turn_cost(a.tier) AS cost,
    GREATEST(COALESCE(t.turn, 0), (SELECT turn FROM transcode_clock))
      + transcode_turn_cost(a.tier)
        * (row_number() OVER (PARTITION BY q.account_id ORDER BY q.queued_at, q.video_id) - 1) AS turn
  FROM transcode_queue q
  JOIN account a ON a.id = q.account_id
  LEFT JOIN transcode_turn t ON t.account_id = q.account_id
  WHERE q.leased_until IS NULL AND q.due_at <= service_now()
) AS waiting;
