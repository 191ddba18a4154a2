-- Adds the seconds of a video that a session played, a bit for each, to what its viewer watched, and stores where
-- playback is. Refuses a session that claims more seconds than p_rate times the time since its token was exchanged.
-- Called by server/modules/delivery/viewers/progress.ts.
CREATE OR REPLACE FUNCTION record_progress(p_token text, p_seconds text, p_position double precision,
  p_rate double precision, p_completed double precision)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_seconds bit varying := p_seconds::bit varying;
  v_length integer := length(p_seconds);
  v_claimed integer := bit_count(v_seconds);
  v_session record;
BEGIN
  -- The viewer before the session, as an erasure does, after which neither is found.
  PERFORM FROM viewer v WHERE v.id = (SELECT s.viewer_id FROM viewer_session s WHERE s.token_id = p_token) FOR KEY SHARE;
  UPDATE viewer_session s SET claimed_sec = s.claimed_sec + v_claimed
    WHERE s.token_id = p_token AND s.expires_at > service_now()
      AND s.claimed_sec + v_claimed <= p_rate * extract(epoch FROM service_clock() - s.opened_at) + 1
    RETURNING s.account_id, s.viewer_id, s.video_id INTO v_session;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO viewer_progress AS held
      (account_id, viewer_id, video_id, seconds, watched_sec, duration_sec, position_sec, completed_at)
    VALUES (v_session.account_id, v_session.viewer_id, v_session.video_id, v_seconds, v_claimed, v_length, p_position,
      CASE WHEN v_claimed >= p_completed * v_length THEN service_now() END)
    ON CONFLICT (viewer_id, video_id) DO UPDATE SET
      -- A further source may be longer or shorter.
      seconds = substring(held.seconds || repeat('0', v_length)::bit varying FROM 1 FOR v_length) | EXCLUDED.seconds,
      duration_sec = EXCLUDED.duration_sec, position_sec = EXCLUDED.position_sec, last_at = service_now();
  UPDATE viewer_progress p SET watched_sec = bit_count(p.seconds),
      completed_at = COALESCE(p.completed_at, CASE WHEN bit_count(p.seconds) >= p_completed * v_length THEN service_now() END)
    WHERE p.viewer_id = v_session.viewer_id AND p.video_id = v_session.video_id;
  RETURN true;
END $$;
