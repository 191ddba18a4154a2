-- The rule: the order in which waiting tasks are begun if nothing else comes, in each lane: the picture, sound, and last
-- steps, which have slots of their own. Accounts take turns (start-time fair queueing) in each lane, a task at the cost
-- of its weight, so that what an account has done in one lane makes it wait in no other. Within an account the videos
-- that cannot be watched yet are first, the oldest of them before the others. Tasks that wait for their next try have no
-- place yet. Of the chunks of a video only the first that waits has one: the others follow it. The search for rate
-- factors comes after the chunks that do not wait for it, and before them while another worker encodes one, which goes on
-- with them: the rest waits for the search.
CREATE OR REPLACE VIEW transcode_order AS
SELECT media_id, kind, position, account_id, tier, queued_at, turn, cost,
  row_number() OVER (PARTITION BY lane ORDER BY turn, queued_at, media_id, is_last, kind, position) AS place, lane
FROM (
  SELECT w.media_id, w.kind, w.position, w.account_id, a.tier::text AS tier, w.queued_at, w.is_last, lane,
    transcode_turn_cost(a.tier) * w.weight AS cost,
    CASE lane WHEN 'sound' THEN GREATEST(t.sound_turn, c.sound_turn) WHEN 'last' THEN GREATEST(t.last_turn, c.last_turn)
      ELSE GREATEST(t.turn, c.turn) END + transcode_turn_cost(a.tier) * COALESCE(
      sum(w.weight) OVER (PARTITION BY w.account_id, lane ORDER BY w.is_later, w.queued_at, w.media_id,
        w.is_last, w.kind, w.position
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS turn
  FROM (
    SELECT p.media_id, p.kind, p.position, p.weight, q.account_id, q.queued_at, p.kind = 'quality' AS is_later,
      p.kind = 'quality' AND NOT EXISTS (
        SELECT 1 FROM transcode_task b
        WHERE b.media_id = p.media_id AND b.kind = 'video' AND b.leased_until > service_now()) AS is_last
    FROM (
      SELECT DISTINCT ON (media_id, kind) media_id, kind, position, weight FROM transcode_task
      WHERE kind IN ('plan', 'copy', 'quality', 'audio', 'finish') AND done_at IS NULL AND leased_until IS NULL
        AND due_at <= service_now()
      ORDER BY media_id, kind, position
    ) AS p JOIN transcode_queue q ON q.media_id = p.media_id
    UNION ALL
    -- Of the chunks, which are many, an index yields the first one of each planned video.
    SELECT q.media_id, 'video', p.position, p.weight, q.account_id, q.queued_at, p.position > 0, false
    FROM transcode_queue q CROSS JOIN LATERAL (
      SELECT t.position, t.weight FROM transcode_task t
      WHERE t.media_id = q.media_id AND t.kind = 'video' AND t.done_at IS NULL AND t.leased_until IS NULL
        AND t.due_at <= service_now()
      ORDER BY t.position LIMIT 1
    ) AS p
    WHERE q.plan IS NOT NULL
  ) AS w
  CROSS JOIN LATERAL (SELECT CASE w.kind WHEN 'audio' THEN 'sound' WHEN 'finish' THEN 'last' ELSE 'picture' END AS lane) AS l
  CROSS JOIN transcode_clock c
  JOIN account a ON a.id = w.account_id
  LEFT JOIN transcode_turn t ON t.account_id = w.account_id
) AS waiting;
