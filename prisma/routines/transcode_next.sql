-- Picks the task that is begun next among the given kinds and the accounts of the given tiers and ids (null: all of the
-- tiers), without those of the excluded videos, locks it until the transaction ends, and counts the turn. A task that
-- another transaction is changing is passed over. First comes what a lost worker had: it had its turn before.
CREATE OR REPLACE FUNCTION transcode_next(kinds TEXT[], tiers TEXT[], accounts TEXT[], excluded TEXT[])
RETURNS TABLE (next_account TEXT, next_video TEXT, next_kind TEXT, next_position INTEGER) LANGUAGE plpgsql AS $$
DECLARE candidate RECORD;
BEGIN
  PERFORM 1 FROM transcode_clock FOR NO KEY UPDATE;
  FOR candidate IN SELECT q.account_id, t.video_id, t.kind, t.position FROM transcode_task t
    JOIN transcode_queue q ON q.video_id = t.video_id JOIN account a ON a.id = q.account_id
    WHERE t.leased_until <= service_now() AND t.kind = ANY (kinds) AND a.tier::text = ANY (tiers)
      AND (accounts IS NULL OR a.id = ANY (accounts)) AND t.video_id <> ALL (excluded)
    ORDER BY t.leased_until, t.video_id, t.position LOOP
    IF transcode_lock(candidate.video_id, candidate.kind, candidate.position) THEN
      RETURN QUERY SELECT candidate.account_id, candidate.video_id, candidate.kind, candidate.position;
      RETURN;
    END IF;
  END LOOP;
  FOR candidate IN SELECT * FROM transcode_order o WHERE o.kind = ANY (kinds) AND o.tier = ANY (tiers)
    AND (accounts IS NULL OR o.account_id = ANY (accounts)) AND o.video_id <> ALL (excluded)
    ORDER BY o.place LOOP
    IF transcode_lock(candidate.video_id, candidate.kind, candidate.position) THEN
      UPDATE transcode_clock SET turn = candidate.turn WHERE turn < candidate.turn;
      INSERT INTO transcode_turn (account_id, turn) VALUES (candidate.account_id, candidate.turn + candidate.cost)
        ON CONFLICT (account_id) DO UPDATE SET turn = EXCLUDED.turn;
      RETURN QUERY SELECT candidate.account_id, candidate.video_id, candidate.kind, candidate.position;
      RETURN;
    END IF;
  END LOOP;
END $$;
