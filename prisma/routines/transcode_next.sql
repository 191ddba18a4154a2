-- Picks the task that is begun next among the given kinds and the accounts of the given tiers and ids (null: all of the
-- tiers), without those of the excluded videos, locks it until the transaction ends, and counts the turn. A task that
-- another transaction is changing is passed over. Kinds of several lanes come by their place in each. First comes what
-- a lost worker had: it had its turn before.
CREATE OR REPLACE FUNCTION transcode_next(kinds TEXT[], tiers TEXT[], accounts TEXT[], excluded TEXT[])
RETURNS TABLE (next_account TEXT, next_media TEXT, next_kind TEXT, next_position INTEGER) LANGUAGE plpgsql AS $$
DECLARE candidate RECORD; ended BIGINT;
BEGIN
  PERFORM 1 FROM transcode_clock FOR NO KEY UPDATE;
  FOR candidate IN SELECT q.account_id, t.media_id, t.kind, t.position FROM transcode_task t
    JOIN transcode_queue q ON q.media_id = t.media_id JOIN account a ON a.id = q.account_id
    WHERE t.leased_until <= service_now() AND t.kind = ANY (kinds) AND a.tier::text = ANY (tiers)
      AND (accounts IS NULL OR a.id = ANY (accounts)) AND t.media_id <> ALL (excluded)
    ORDER BY t.leased_until, t.media_id, t.position LOOP
    IF transcode_lock(candidate.media_id, candidate.kind, candidate.position) THEN
      RETURN QUERY SELECT candidate.account_id, candidate.media_id, candidate.kind, candidate.position;
      RETURN;
    END IF;
  END LOOP;
  FOR candidate IN SELECT * FROM transcode_order o WHERE o.kind = ANY (kinds) AND o.tier = ANY (tiers)
    AND (accounts IS NULL OR o.account_id = ANY (accounts)) AND o.media_id <> ALL (excluded)
    ORDER BY o.place LOOP
    IF transcode_lock(candidate.media_id, candidate.kind, candidate.position) THEN
      ended := candidate.turn + candidate.cost;
      INSERT INTO transcode_turn (account_id) VALUES (candidate.account_id) ON CONFLICT DO NOTHING;
      IF candidate.lane = 'sound' THEN
        UPDATE transcode_clock SET sound_turn = GREATEST(sound_turn, candidate.turn);
        UPDATE transcode_turn SET sound_turn = ended WHERE account_id = candidate.account_id;
      ELSIF candidate.lane = 'last' THEN
        UPDATE transcode_clock SET last_turn = GREATEST(last_turn, candidate.turn);
        UPDATE transcode_turn SET last_turn = ended WHERE account_id = candidate.account_id;
      ELSE
        UPDATE transcode_clock SET turn = GREATEST(turn, candidate.turn);
        UPDATE transcode_turn SET turn = ended WHERE account_id = candidate.account_id;
      END IF;
      RETURN QUERY SELECT candidate.account_id, candidate.media_id, candidate.kind, candidate.position;
      RETURN;
    END IF;
  END LOOP;
END $$;
