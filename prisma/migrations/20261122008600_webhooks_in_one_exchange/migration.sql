-- A dispatcher claims, and writes outcomes, in one exchange each. While a transaction took four, its locks were held for as long as a busy process
-- needs to get to each answer, and each question took the processor from whoever was sending. These read tables by their indexes and keep their
-- plans, whatever the planner believes of sizes: a queue that was empty when it was planned is long a moment later.

DROP TRIGGER webhook_claim_inserted ON webhook_claim;

-- Claims what is due of each endpoint (server/modules/webhooks/lease.ts): at most `rooms` of each, of those behind a place in its queue. Answers with a
-- row for each queue that nobody else has just now (its claim's id, null when nothing is due), then with each delivery, in that order; `o_at` is
-- its endpoint's place in `endpoints`.
CREATE FUNCTION claim_webhooks(endpoints TEXT[], rooms INT[], after_ms FLOAT8[], after_id BIGINT[], lease_ms FLOAT8)
RETURNS TABLE (o_at INT, o_claim UUID, o_id BIGINT, o_due_ms FLOAT8, o_round INT, o_attempts INT, o_payload TEXT)
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  mine TEXT[];
BEGIN
  -- Nobody waits for a claim to reach the disk: one that a crash of the database loses was never given.
  PERFORM set_config('synchronous_commit', 'off', true);
  -- The next statement then sees what whoever had the lock before has claimed.
  mine := lock_webhook_queues(endpoints, false);
  -- The fixed limit (MAX_CLAIM) bounds what the planner expects. A claim that has ended is gone by now, its rows those of anybody.
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT * FROM unnest(endpoints, rooms, after_ms, after_id) WITH ORDINALITY AS w (endpoint, room, behind_ms, behind_id, at) WHERE endpoint = ANY (mine)),
  held AS MATERIALIZED (SELECT unnest(deliveries) AS id FROM webhook_claim WHERE endpoint_id = ANY (mine)),
  due AS MATERIALIZED (
    SELECT asked.at, one.* FROM asked CROSS JOIN LATERAL (
      SELECT * FROM (
        SELECT delivery_id AS id, account_id, endpoint_id, event_id, due_at, round, attempts FROM webhook_due
        WHERE endpoint_id = asked.endpoint AND due_at <= service_now() AND delivery_id NOT IN (SELECT held.id FROM held)
          AND (due_at, delivery_id) > (to_timestamp(asked.behind_ms / 1000), asked.behind_id)
        ORDER BY due_at, delivery_id LIMIT 800) AS first
      LIMIT asked.room) AS one),
  claimed AS (
    INSERT INTO webhook_claim (account_id, endpoint_id, deliveries, until)
    SELECT min(account_id), endpoint_id, array_agg(due.id), service_now() + lease_ms * interval '1 millisecond' FROM due GROUP BY endpoint_id
    RETURNING id, endpoint_id)
  -- Of what is tried again the dashboard is told: it shows whether that is in hand. First tries it shows so from the beginning.
  SELECT asked.at::int, claimed.id, NULL::bigint, NULL::float8, NULL::int, NULL::int,
    (SELECT pg_notify('reelgate', 'webhook:' || account_id)::text FROM due WHERE due.at = asked.at AND attempts > 0 LIMIT 1)
  FROM asked LEFT JOIN claimed ON claimed.endpoint_id = asked.endpoint
  UNION ALL
  SELECT due.at::int, NULL, due.id, date_part('epoch', due_at) * 1000, round, attempts,
    (SELECT payload FROM webhook_event WHERE webhook_event.id = due.event_id)
  FROM due;
END $$;

-- Deliveries that are nobody's any more; the rest of their claims goes on, but those that are over.
CREATE FUNCTION shorten_webhook_claims(claims UUID[], deliveries BIGINT[], over UUID[]) RETURNS VOID
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  DELETE FROM webhook_claim WHERE id = ANY (over);
  WITH free AS MATERIALIZED (SELECT unnest(shorten_webhook_claims.deliveries) AS id)
  UPDATE webhook_claim c SET deliveries = ARRAY(SELECT one FROM unnest(c.deliveries) AS one WHERE one NOT IN (SELECT free.id FROM free))
  WHERE c.id IN (SELECT id FROM webhook_claim WHERE id = ANY (claims) ORDER BY id FOR UPDATE);
END $$;

-- Writes what attempts came to (server/modules/webhooks/record-attempts.ts): each delivery's next step, the attempt, and whether its endpoint works. Many come to
-- the same: `endpoints` to `next_ms` (from the attempt's end; null for the last) say what, and `ids` to `signatures` (a line for each) which attempts,
-- by their `kinds`. `headers`, `bodies` and `problems` are places in `texts`, or null. Who lost the claim changes nothing. Answers with the
-- endpoints whose deliveries died now and that have failed for `failing_ms`.
CREATE FUNCTION conclude_webhooks(failing_ms FLOAT8, over UUID[], texts TEXT[],
  endpoints TEXT[], claims UUID[], rounds INT[], made INT[], answers INT[], headers INT[], bodies INT[], problems INT[], next_ms INT[],
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
  -- Endpoints are locked before what is queued for them, as whoever deletes one does, and in one order.
  SELECT COALESCE(array_agg(id), '{}'), COALESCE(array_agg(id) FILTER (WHERE disabled_at IS NOT NULL), '{}'),
    COALESCE(array_agg(id) FILTER (WHERE failing_since IS NOT NULL), '{}'),
    array_agg(id) FILTER (WHERE disabled_at IS NULL AND failing_since < service_now() - failing_ms * interval '1 millisecond'),
    array_agg(DISTINCT account_id)
  INTO there, disabled, failing, hopeless, accounts
  FROM (SELECT id, account_id, disabled_at, failing_since FROM webhook_endpoint WHERE id = ANY (endpoints) ORDER BY id FOR KEY SHARE) AS ends;
  SELECT COALESCE(array_agg(id), '{}') INTO ours
  FROM (SELECT id FROM webhook_claim WHERE id = ANY (claims) ORDER BY id FOR UPDATE) AS held;
  -- Whoever claims anew what has ended deletes the old claim. What is not ours is of no round, and so passed over.
  rounds := ARRAY(SELECT CASE WHEN claim = ANY (ours) AND endpoint = ANY (there) THEN round END
    FROM unnest(claims, endpoints, rounds) WITH ORDINALITY AS kind (claim, endpoint, round, at) ORDER BY at);
  -- A delivery whose endpoint was disabled while it was on its way is not tried again.
  next_ms := ARRAY(SELECT CASE WHEN endpoint <> ALL (disabled) THEN next END
    FROM unnest(next_ms, endpoints) WITH ORDINALITY AS kind (next, endpoint, at) ORDER BY at);

  SELECT COALESCE(array_agg(endpoint) FILTER (WHERE well), '{}'), COALESCE(array_agg(endpoint) FILTER (WHERE NOT well), '{}'), array_agg(endpoint) FILTER (WHERE last)
  INTO works, fails, died
  FROM (
    SELECT endpoint, bool_or(problem IS NULL) AS well, bool_or(next IS NULL) AS last
    FROM unnest(endpoints, rounds, problems, next_ms) AS kind (endpoint, round, problem, next) WHERE round IS NOT NULL GROUP BY endpoint) AS ends;
  IF works && failing OR NOT fails <@ failing THEN
    UPDATE webhook_endpoint SET failing_since = CASE WHEN id = ANY (works) THEN NULL ELSE service_now() END
    WHERE id IN (
      SELECT id FROM webhook_endpoint WHERE id = ANY (works || fails) AND (failing_since IS NULL) <> (id = ANY (works))
      ORDER BY id FOR NO KEY UPDATE);
  END IF;

  -- What was written before (the answer to a commit may be lost), and may be somebody else's since, is left alone: its round and count tell.
  -- A delivery's own row is written when it dies, and not before: its place in the queue and its attempts tell the rest.
  WITH ended AS (
    DELETE FROM webhook_due q
    USING unnest(ids, kinds, ago_ms, duration_ms, string_to_array(signatures, E'\n')) AS a (id, kind, ago_ms, duration_ms, signature)
    WHERE next_ms[a.kind] IS NULL AND q.delivery_id = a.id AND q.round = rounds[a.kind] AND q.attempts <= made[a.kind] RETURNING a.*),
  dead AS (
    UPDATE webhook_delivery SET died_of = texts[problems[ended.kind]], changed_at = service_now()
    FROM ended WHERE problems[ended.kind] IS NOT NULL AND webhook_delivery.id = ended.id)
  INSERT INTO webhook_attempt (delivery_id, round, number, at, duration_ms, signature, status, headers, body, problem)
  SELECT ended.id, rounds[kind], made[kind] + 1, service_now() - (ended.ago_ms + ended.duration_ms) * interval '1 millisecond', ended.duration_ms,
    signature, answers[kind], texts[headers[kind]], texts[bodies[kind]], texts[problems[kind]]
  FROM ended;

  IF EXISTS (SELECT FROM unnest(next_ms) AS next WHERE next IS NOT NULL) THEN
    WITH ended AS (
      UPDATE webhook_due q SET attempts = made[a.kind] + 1, due_at = service_now() + (next_ms[a.kind] - a.ago_ms) * interval '1 millisecond'
      FROM unnest(ids, kinds, ago_ms, duration_ms, string_to_array(signatures, E'\n')) AS a (id, kind, ago_ms, duration_ms, signature)
      WHERE next_ms[a.kind] IS NOT NULL AND q.delivery_id = a.id AND q.round = rounds[a.kind] AND q.attempts <= made[a.kind] RETURNING a.*)
    INSERT INTO webhook_attempt (delivery_id, round, number, at, duration_ms, signature, status, headers, body, problem, next_at)
    SELECT ended.id, rounds[kind], made[kind] + 1, service_now() - (ended.ago_ms + ended.duration_ms) * interval '1 millisecond', ended.duration_ms,
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
