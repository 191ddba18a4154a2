-- Picks the video that is begun next, locks it until the transaction ends, and counts the turn. A video that another
-- transaction is changing is passed over. First comes what a lost worker had: it had its turn before. Videos are locked
-- before their places in the queue, as by everything that changes a video.
CREATE OR REPLACE FUNCTION transcode_next() RETURNS TABLE (next_account TEXT, next_video TEXT) LANGUAGE plpgsql AS $$
DECLARE candidate RECORD;
BEGIN
  PERFORM 1 FROM transcode_clock FOR NO KEY UPDATE;
  FOR candidate IN SELECT q.account_id, q.video_id FROM transcode_queue q WHERE q.leased_until <= service_now()
    ORDER BY q.leased_until, q.video_id LOOP
    IF transcode_lock(candidate.video_id) THEN
      RETURN QUERY SELECT candidate.account_id, candidate.video_id;
      RETURN;
    END IF;
  END LOOP;
  FOR candidate IN SELECT o.account_id, o.video_id, o.turn, o.cost FROM transcode_order o ORDER BY o.position LOOP
    IF transcode_lock(candidate.video_id) THEN
      UPDATE transcode_clock SET turn = candidate.turn WHERE turn < candidate.turn;
      INSERT INTO transcode_turn (account_id, turn) VALUES (candidate.account_id, candidate.turn + candidate.cost)
        ON CONFLICT (account_id) DO UPDATE SET turn = EXCLUDED.turn;
      RETURN QUERY SELECT candidate.account_id, candidate.video_id;
      RETURN;
    END IF;
  END LOOP;
END $$;
