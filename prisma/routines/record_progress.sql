-- Adds the seconds of a video that a session played, a bit for each, to what its viewer watched, and stores where
-- playback is. Refuses a session that claims more seconds than p_rate times the time since its token was exchanged, alone
-- or together with the viewer's other sessions of the video, which somebody could open to claim more.
-- Emits an event for each quarter that the viewer reaches for the first time, and one when the video is completed, unless
-- the session is a test. Called by server/modules/delivery/viewers/progress.ts.
CREATE OR REPLACE FUNCTION record_progress(p_token text, p_seconds text, p_position double precision,
  p_rate double precision, p_test boolean)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_seconds bit varying := p_seconds::bit varying;
  v_length integer := length(p_seconds);
  v_claimed integer := bit_count(v_seconds);
  v_session record;
  v_before record;
  v_now record;
  v_completed integer;
  v_type text;
  v_percent integer;
  c_time CONSTANT text := 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"';
BEGIN
  -- The viewer before the session, as an erasure does, after which neither is found. Orders all reports of a viewer.
  PERFORM FROM viewer v WHERE v.id = (SELECT s.viewer_id FROM viewer_session s WHERE s.token_id = p_token) FOR NO KEY UPDATE;
  UPDATE viewer_session s SET claimed_sec = s.claimed_sec + v_claimed
    FROM (SELECT sum(o.claimed_sec) AS claimed_sec, min(o.opened_at) AS opened_at
      FROM viewer_session own JOIN viewer_session o ON o.viewer_id = own.viewer_id AND o.video_id = own.video_id
      WHERE own.token_id = p_token AND o.expires_at > service_now()) AS together
    WHERE s.token_id = p_token AND s.expires_at > service_now()
      AND s.claimed_sec + v_claimed <= p_rate * extract(epoch FROM service_clock() - s.opened_at) + 1
      AND together.claimed_sec + v_claimed <= p_rate * extract(epoch FROM service_clock() - together.opened_at) + 1
    RETURNING s.account_id, s.viewer_id, s.video_id INTO v_session;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  SELECT a.completed_percent INTO v_completed FROM account a WHERE a.id = v_session.account_id;
  -- The row is locked from here on: of two devices, one reaches a quarter.
  INSERT INTO viewer_progress AS held (account_id, viewer_id, video_id, seconds, watched_sec, duration_sec, position_sec)
    VALUES (v_session.account_id, v_session.viewer_id, v_session.video_id, v_seconds, v_claimed, v_length, p_position)
    ON CONFLICT (viewer_id, video_id) DO UPDATE SET
      -- A further source may be longer or shorter.
      seconds = substring(held.seconds || repeat('0', v_length)::bit varying FROM 1 FOR v_length) | EXCLUDED.seconds,
      duration_sec = EXCLUDED.duration_sec, position_sec = EXCLUDED.position_sec, last_at = service_now()
    RETURNING held.reached_percent, held.completed_at INTO v_before;
  UPDATE viewer_progress p SET watched_sec = bit_count(p.seconds),
      reached_percent = greatest(p.reached_percent, least(75, bit_count(p.seconds) * 100 / v_length / 25 * 25)),
      completed_at = COALESCE(p.completed_at, CASE WHEN bit_count(p.seconds) * 100 >= v_completed * v_length THEN service_now() END)
    WHERE p.viewer_id = v_session.viewer_id AND p.video_id = v_session.video_id
    RETURNING p.watched_sec, p.reached_percent, p.first_at, p.completed_at INTO v_now;
  FOR v_type, v_percent IN
    SELECT 'viewing.progress', generate_series(v_before.reached_percent + 25, v_now.reached_percent::integer, 25) WHERE NOT p_test
    UNION ALL
    SELECT 'viewing.completed', v_completed WHERE NOT p_test AND v_before.completed_at IS NULL AND v_now.completed_at IS NOT NULL
  LOOP
    PERFORM emit_event(NULL, v_session.account_id, v_type, json_build_object('viewerId', NULL, 'videoId', v_session.video_id,
      'percent', v_percent, 'watchedSec', v_now.watched_sec, 'durationSec', v_length, 'positionSec', p_position,
      'firstAt', to_char(v_now.first_at AT TIME ZONE 'UTC', c_time), 'completedAt', to_char(v_now.completed_at AT TIME ZONE 'UTC', c_time)),
      p_viewer => v_session.viewer_id);
  END LOOP;
  RETURN true;
END $$;
