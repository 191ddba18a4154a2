-- Writes what attempts came to (server/modules/webhooks/record-attempts.ts, which names the arguments): the next step,
-- the attempt, and whether the endpoint works. `endpoints` to `next_ms` say what, `ids` to `signatures` which attempts,
-- by `kinds`. Returns endpoints whose deliveries died now and that have failed for `failing_ms`.
CREATE OR REPLACE FUNCTION conclude_webhooks(failing_ms FLOAT8, over UUID[], texts TEXT[],
  -- A kind of attempt; next_ms is counted from the attempt's end, and null for the last. The three after `answers` are
  -- places in `texts`, or null.
  endpoints TEXT[], claims UUID[], rounds INT[], made INT[], answers INT[], headers INT[], bodies INT[], problems INT[],
  next_ms INT[],
  -- An attempt of such a kind; a line of `signatures` for each. Who lost the claim changes nothing.
  ids BIGINT[], kinds INT[], ago_ms INT[], duration_ms INT[], signatures TEXT)
RETURNS TEXT[] LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  there TEXT[];
  disabled TEXT[];
  failing TEXT[];
  hopeless TEXT[];
  accounts TEXT[];
  ours UUID[];
  works TEXT[];
  fails TEXT[];
  died TEXT[];
  again BIGINT[];
  shorter UUID[];
BEGIN
  -- Locks endpoints before their queued deliveries, as the deletion of an endpoint does, and in one order.
  SELECT COALESCE(array_agg(id), '{}'), COALESCE(array_agg(id) FILTER (WHERE disabled_at IS NOT NULL), '{}'),
    COALESCE(array_agg(id) FILTER (WHERE failing_since IS NOT NULL), '{}'),
    array_agg(id) FILTER (WHERE disabled_at IS NULL
      AND failing_since < service_now() - failing_ms * interval '1 millisecond'),
    array_agg(DISTINCT account_id)
  INTO there, disabled, failing, hopeless, accounts
  FROM (SELECT id, account_id, disabled_at, failing_since FROM webhook_endpoint WHERE id = ANY (endpoints)
    ORDER BY id FOR KEY SHARE) AS ends;
  SELECT COALESCE(array_agg(id), '{}') INTO ours
  FROM (SELECT id FROM webhook_claim WHERE id = ANY (claims) ORDER BY id FOR UPDATE) AS held;
  -- A new lease of an expired one deletes the old lease. Leases of other processes match no round and are skipped.
  rounds := ARRAY(SELECT CASE WHEN claim = ANY (ours) AND endpoint = ANY (there) THEN round END
    FROM unnest(claims, endpoints, rounds) WITH ORDINALITY AS kind (claim, endpoint, round, at) ORDER BY at);
  -- A delivery whose endpoint was disabled while it was on its way is not tried again.
  next_ms := ARRAY(SELECT CASE WHEN endpoint <> ALL (disabled) THEN next END
    FROM unnest(next_ms, endpoints) WITH ORDINALITY AS kind (next, endpoint, at) ORDER BY at);

  SELECT COALESCE(array_agg(endpoint) FILTER (WHERE well), '{}'),
    COALESCE(array_agg(endpoint) FILTER (WHERE NOT well), '{}'), array_agg(endpoint) FILTER (WHERE last)
  INTO works, fails, died
  FROM (
    SELECT endpoint, bool_or(problem IS NULL) AS well, bool_or(next IS NULL) AS last
    FROM unnest(endpoints, rounds, problems, next_ms) AS kind (endpoint, round, problem, next) WHERE round IS NOT NULL
      GROUP BY endpoint) AS ends;
  IF works && failing OR NOT fails <@ failing THEN
    UPDATE webhook_endpoint SET failing_since = CASE WHEN id = ANY (works) THEN NULL ELSE service_now() END
    WHERE id IN (
      SELECT id FROM webhook_endpoint WHERE id = ANY (works || fails) AND (failing_since IS NULL) <> (id = ANY (works))
      ORDER BY id FOR NO KEY UPDATE);
  END IF;

  -- What was written before (the answer to a commit may be lost), and may be another dispatcher's since, is left alone:
  -- its round and count show it. A delivery's own row is written when it dies, and not before.
  WITH ended AS (
    DELETE FROM webhook_due q
    USING unnest(ids, kinds, ago_ms, duration_ms, string_to_array(signatures, E'\n')) AS a (id, kind, ago_ms,
      duration_ms, signature)
    WHERE next_ms[a.kind] IS NULL AND q.delivery_id = a.id AND q.round = rounds[a.kind] AND q.attempts <= made[a.kind]
      RETURNING a.*),
  dead AS (
    UPDATE webhook_delivery SET died_of = texts[problems[ended.kind]], changed_at = service_now()
    FROM ended WHERE problems[ended.kind] IS NOT NULL AND webhook_delivery.id = ended.id)
  INSERT INTO webhook_attempt (delivery_id, round, number, at, duration_ms, signature, status, headers, body, problem)
  SELECT ended.id, rounds[kind], made[kind] + 1,
    service_now() - (ended.ago_ms + ended.duration_ms) * interval '1 millisecond', ended.duration_ms,
    signature, answers[kind], texts[headers[kind]], texts[bodies[kind]], texts[problems[kind]]
  FROM ended;

  IF EXISTS (SELECT FROM unnest(next_ms) AS next WHERE next IS NOT NULL) THEN
    WITH ended AS (
      UPDATE webhook_due q
        SET attempts = made[a.kind] + 1,
        due_at = service_now() + (next_ms[a.kind] - a.ago_ms) * interval '1 millisecond'
      FROM unnest(ids, kinds, ago_ms, duration_ms, string_to_array(signatures, E'\n')) AS a (id, kind, ago_ms,
        duration_ms, signature)
      WHERE next_ms[a.kind] IS NOT NULL AND q.delivery_id = a.id AND q.round = rounds[a.kind]
        AND q.attempts <= made[a.kind] RETURNING a.*)
    INSERT INTO webhook_attempt (delivery_id, round, number, at, duration_ms, signature, status, headers, body,
      problem, next_at)
    SELECT ended.id, rounds[kind], made[kind] + 1,
      service_now() - (ended.ago_ms + ended.duration_ms) * interval '1 millisecond', ended.duration_ms,
      signature, answers[kind], texts[headers[kind]], texts[bodies[kind]], texts[problems[kind]],
      service_now() + (next_ms[kind] - ended.ago_ms) * interval '1 millisecond'
    FROM ended;
    SELECT array_agg(id), array_agg(DISTINCT claims[kind]) INTO again, shorter
    FROM unnest(ids, kinds) AS a (id, kind) WHERE next_ms[kind] IS NOT NULL AND rounds[kind] IS NOT NULL;
    PERFORM shorten_webhook_claims(shorter, again, over);
  ELSE
    DELETE FROM webhook_claim WHERE id = ANY (over);
  END IF;
  PERFORM pg_notify('reelgate', 'webhook:' || account) FROM unnest(accounts) AS account;
  RETURN ARRAY(SELECT id FROM unnest(hopeless) AS id WHERE id = ANY (died) AND id <> ALL (works));
END $$;
