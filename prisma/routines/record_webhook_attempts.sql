-- Records finished attempts (server/modules/webhooks/delivery/record-attempts.ts): the attempts, the next step of their
-- deliveries, and whether their endpoints fail. Attempts with equal outcomes share one: an attempt names the position
-- of its outcome, an outcome the positions of its texts. Attempts of an account beyond `event_limit` bytes, or its own
-- limit, keep neither headers nor body. Returns the endpoints of which a delivery died now and that
-- have failed for `failing_ms`.
CREATE OR REPLACE FUNCTION record_webhook_attempts(failing_ms FLOAT8, ended_leases UUID[], texts TEXT[],
  -- Columns of the outcomes. `next_ms` counts from the end of the attempt; null: no further attempt. `header_texts`,
  -- `body_texts` and `error_texts` are positions in `texts`, or null.
  endpoints TEXT[], leases UUID[], replays INT[], numbers INT[], statuses INT[], header_texts INT[], body_texts INT[],
  error_texts INT[], next_ms INT[],
  -- Columns of the attempts; `ended_ms_ago` counts from this statement. `signatures` has one line for each attempt.
  deliveries BIGINT[], outcomes INT[], ended_ms_ago INT[], durations_ms INT[], signatures TEXT,
  event_limit BIGINT DEFAULT 9223372036854775807)
RETURNS TEXT[] LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  existing TEXT[];
  disabled TEXT[];
  failing TEXT[];
  failing_too_long TEXT[];
  accounts TEXT[];
  held UUID[];
  succeeded TEXT[];
  failed TEXT[];
  died TEXT[];
  retried BIGINT[];
  shortened UUID[];
  full_accounts TEXT[];
  full_endpoints TEXT[];
BEGIN
  -- Locks endpoints before their queued deliveries, as the deletion of an endpoint does, and in one order.
  SELECT COALESCE(array_agg(id), '{}'), COALESCE(array_agg(id) FILTER (WHERE disabled_at IS NOT NULL), '{}'),
    COALESCE(array_agg(id) FILTER (WHERE failing_since IS NOT NULL), '{}'),
    array_agg(id) FILTER (WHERE disabled_at IS NULL
      AND failing_since < service_now() - failing_ms * interval '1 millisecond'),
    array_agg(DISTINCT account_id)
  INTO existing, disabled, failing, failing_too_long, accounts
  FROM (SELECT id, account_id, disabled_at, failing_since FROM webhook_endpoint WHERE id = ANY (endpoints)
    ORDER BY id FOR KEY SHARE) AS locked;
  SELECT COALESCE(array_agg(lease_id), '{}') INTO held
  FROM (SELECT lease_id FROM webhook_lease WHERE lease_id = ANY (leases) ORDER BY lease_id FOR UPDATE) AS locked;
  -- A new lease deletes the expired one. An outcome without its lease gets no replay, matches no queue row and so
  -- changes nothing.
  replays := ARRAY(SELECT CASE WHEN lease = ANY (held) AND endpoint = ANY (existing) THEN replay END
    FROM unnest(leases, endpoints, replays) WITH ORDINALITY AS o (lease, endpoint, replay, at) ORDER BY at);
  -- A delivery whose endpoint was disabled during the attempt gets no further attempt.
  next_ms := ARRAY(SELECT CASE WHEN endpoint <> ALL (disabled) THEN next END
    FROM unnest(next_ms, endpoints) WITH ORDINALITY AS o (next, endpoint, at) ORDER BY at);

  full_accounts := ARRAY(SELECT account FROM unnest(accounts) AS account
    WHERE (SELECT sum(event_bytes) FROM storage_count WHERE account_id = account) >= COALESCE(
      (SELECT value FROM account_limit WHERE account_id = account AND name = 'eventBytes'), event_limit));
  IF cardinality(full_accounts) > 0 THEN
    texts := texts || '{}'::text || 'Not kept: the webhook events of the account have reached their limit.'::text;
    full_endpoints := ARRAY(SELECT id FROM webhook_endpoint WHERE id = ANY (endpoints) AND account_id = ANY (full_accounts));
    header_texts := ARRAY(SELECT CASE WHEN endpoint = ANY (full_endpoints) AND text IS NOT NULL THEN cardinality(texts) - 1 ELSE text END
      FROM unnest(header_texts, endpoints) WITH ORDINALITY AS o (text, endpoint, at) ORDER BY at);
    body_texts := ARRAY(SELECT CASE WHEN endpoint = ANY (full_endpoints) AND text IS NOT NULL THEN cardinality(texts) ELSE text END
      FROM unnest(body_texts, endpoints) WITH ORDINALITY AS o (text, endpoint, at) ORDER BY at);
  END IF;

  SELECT COALESCE(array_agg(endpoint) FILTER (WHERE success), '{}'),
    COALESCE(array_agg(endpoint) FILTER (WHERE NOT success), '{}'), array_agg(endpoint) FILTER (WHERE last)
  INTO succeeded, failed, died
  FROM (
    SELECT endpoint, bool_or(error IS NULL) AS success, bool_or(next IS NULL) AS last
    FROM unnest(endpoints, replays, error_texts, next_ms) AS o (endpoint, replay, error, next)
    WHERE replay IS NOT NULL GROUP BY endpoint) AS by_endpoint;
  IF succeeded && failing OR NOT failed <@ failing THEN
    UPDATE webhook_endpoint SET failing_since = CASE WHEN id = ANY (succeeded) THEN NULL ELSE service_now() END
    WHERE id IN (
      SELECT id FROM webhook_endpoint
      WHERE id = ANY (succeeded || failed) AND (failing_since IS NULL) <> (id = ANY (succeeded))
      ORDER BY id FOR NO KEY UPDATE);
  END IF;

  -- Replay and number exclude attempts that were recorded before (the response to the commit was lost), also when
  -- another dispatcher holds the delivery since. The delivery's own row is written when it dies, and not before.
  WITH ended AS (
    DELETE FROM webhook_queue q
    USING unnest(deliveries, outcomes, ended_ms_ago, durations_ms, string_to_array(signatures, E'\n'))
      AS a (delivery, outcome, ended_ms_ago, duration_ms, signature)
    WHERE next_ms[a.outcome] IS NULL AND q.delivery_id = a.delivery AND q.replay = replays[a.outcome]
      AND q.attempt_count < numbers[a.outcome] RETURNING a.*),
  dead AS (
    UPDATE webhook_delivery SET failure_reason = texts[error_texts[ended.outcome]], changed_at = service_now()
    FROM ended WHERE error_texts[ended.outcome] IS NOT NULL AND webhook_delivery.id = ended.delivery)
  INSERT INTO webhook_attempt (delivery_id, replay, number, at, duration_ms, signature, status, headers, body, error)
  SELECT delivery, replays[outcome], numbers[outcome],
    service_now() - (ended.ended_ms_ago + ended.duration_ms) * interval '1 millisecond', ended.duration_ms,
    signature, statuses[outcome], texts[header_texts[outcome]], texts[body_texts[outcome]], texts[error_texts[outcome]]
  FROM ended;

  IF EXISTS (SELECT FROM unnest(next_ms) AS next WHERE next IS NOT NULL) THEN
    WITH ended AS (
      UPDATE webhook_queue q
        SET attempt_count = numbers[a.outcome],
        due_at = service_now() + (next_ms[a.outcome] - a.ended_ms_ago) * interval '1 millisecond'
      FROM unnest(deliveries, outcomes, ended_ms_ago, durations_ms, string_to_array(signatures, E'\n'))
        AS a (delivery, outcome, ended_ms_ago, duration_ms, signature)
      WHERE next_ms[a.outcome] IS NOT NULL AND q.delivery_id = a.delivery AND q.replay = replays[a.outcome]
        AND q.attempt_count < numbers[a.outcome] RETURNING a.*)
    INSERT INTO webhook_attempt (delivery_id, replay, number, at, duration_ms, signature, status, headers, body,
      error, next_at)
    SELECT delivery, replays[outcome], numbers[outcome],
      service_now() - (ended.ended_ms_ago + ended.duration_ms) * interval '1 millisecond', ended.duration_ms,
      signature, statuses[outcome], texts[header_texts[outcome]], texts[body_texts[outcome]],
      texts[error_texts[outcome]], service_now() + (next_ms[outcome] - ended.ended_ms_ago) * interval '1 millisecond'
    FROM ended;
    SELECT array_agg(delivery), array_agg(DISTINCT leases[outcome]) INTO retried, shortened
    FROM unnest(deliveries, outcomes) AS a (delivery, outcome)
    WHERE next_ms[outcome] IS NOT NULL AND replays[outcome] IS NOT NULL;
    PERFORM shorten_webhook_leases(shortened, retried, ended_leases);
  ELSE
    DELETE FROM webhook_lease WHERE lease_id = ANY (ended_leases);
  END IF;
  PERFORM pg_notify('reelgate', 'webhook:' || account) FROM unnest(accounts) AS account;
  RETURN ARRAY(SELECT id FROM unnest(failing_too_long) AS id WHERE id = ANY (died) AND id <> ALL (succeeded));
END $$;
