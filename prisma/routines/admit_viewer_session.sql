-- Gives the session of a token one of its viewer's places, or keeps the place that it holds. With p_most places, all
-- held by others, it refuses the session, or takes the oldest places and returns the tokens that held them in
-- `displaced`. `others` is the number of places that other sessions held. A session that was ended after p_number, as
-- one that lost its place was, is not admitted again, nor is one that opened, or opens with a token that was issued
-- (p_issued), before the viewer was erased. A place is free p_idle_sec after the last sign of its session. The viewer's
-- row orders all admissions of a viewer, and their erasure. Emits an event about too many sessions, at most once a minute
-- for a viewer, unless the session is a test. Called by server/modules/delivery/sessions/viewer-places.ts.
CREATE OR REPLACE FUNCTION admit_viewer_session(p_account text, p_viewer text, p_own_id bytea, p_token text, p_video text,
  p_number bigint, p_issued timestamptz, p_lasts_sec double precision, p_most integer, p_displaces boolean, p_idle_sec double precision,
  p_test boolean DEFAULT false)
RETURNS TABLE (admitted boolean, ended boolean, others integer, displaced text[])
LANGUAGE plpgsql AS $$
DECLARE
  v_since timestamptz := service_now() - make_interval(secs => p_idle_sec);
  v_others text[];
  v_is_new boolean;
BEGIN
  admitted := true;
  ended := false;
  others := 0;
  displaced := '{}';
  INSERT INTO viewer AS v (id, account_id, own_id) VALUES (p_viewer, p_account, p_own_id)
    ON CONFLICT (id) DO UPDATE SET last_seen_at = service_now()
    -- No transaction has locked a row that was just inserted.
    RETURNING xmax = 0 INTO v_is_new;
  -- A statement of its own: it sees what committed while the lock was awaited.
  UPDATE viewer_session s SET seen_at = service_now() WHERE s.token_id = p_token AND s.seen_at > v_since;
  IF NOT FOUND THEN
    SELECT EXISTS (SELECT FROM playback_end e WHERE e.subject = 'token:' || p_token AND e.number > p_number)
      -- A session that opened later can carry a number that its process had.
      OR EXISTS (SELECT FROM deletion d WHERE d.kind = 'viewer.erasure' AND d.subject = p_viewer
        AND CASE WHEN p_issued IS NULL THEN d.ended_number > p_number ELSE d.deleted_at >= p_issued END
        AND NOT EXISTS (SELECT FROM viewer_session s WHERE s.token_id = p_token)) INTO ended;
    SELECT COALESCE(array_agg(s.token_id ORDER BY s.began_at, s.token_id), '{}') INTO v_others FROM viewer_session s
      WHERE s.viewer_id = p_viewer AND s.token_id <> p_token AND s.seen_at > v_since;
    others := cardinality(v_others);
    IF ended THEN
      admitted := false;
      IF v_is_new THEN
        DELETE FROM viewer v WHERE v.id = p_viewer;
      END IF;
    ELSIF others >= p_most THEN
      admitted := p_displaces;
      IF p_displaces THEN
        displaced := v_others[1 : others - p_most + 1];
      END IF;
      UPDATE viewer v SET exceeded_at = service_now()
        WHERE v.id = p_viewer AND NOT p_test AND COALESCE(v.exceeded_at <= service_now() - interval '1 minute', true);
      IF FOUND THEN
        PERFORM emit_event(NULL, p_account, 'viewer.sessions_exceeded', json_build_object('viewerId', NULL, 'videoId', p_video,
          'maxSessions', p_most, 'outcome', CASE WHEN p_displaces THEN 'oldest-ended' ELSE 'refused' END), p_viewer => p_viewer);
      END IF;
    END IF;
    IF admitted THEN
      UPDATE viewer_session s SET seen_at = NULL WHERE s.token_id = ANY (displaced);
      INSERT INTO viewer_session AS s (token_id, account_id, viewer_id, video_id, expires_at)
        VALUES (p_token, p_account, p_viewer, p_video, service_now() + make_interval(secs => p_lasts_sec))
        ON CONFLICT (token_id) DO UPDATE SET began_at = service_now(), seen_at = service_now();
    END IF;
  END IF;
  RETURN NEXT;
END $$;
