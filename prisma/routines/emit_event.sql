-- Stores an event and a queued delivery for each endpoint that wants it, in the caller's transaction. Returns the
-- event's id, or null when the same fact (of one account and type) has its event already. `event` may be null; then an
-- id is made.
CREATE OR REPLACE FUNCTION emit_event(event TEXT, account TEXT, kind TEXT, data JSON, of_fact TEXT DEFAULT NULL,
  is_sample BOOLEAN DEFAULT false, only_endpoint TEXT DEFAULT NULL)
RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
  moment TIMESTAMPTZ := date_trunc('milliseconds', service_now());
  stored TEXT;
BEGIN
  event := COALESCE(event, new_event_id());
  INSERT INTO webhook_event (id, account_id, type, fact, sample, created_at, payload)
  VALUES (event, account, kind, of_fact, is_sample, moment,
    '{"eventId":"' || event || '","eventType":"' || kind || '","createdAt":"'
    || to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' || data::text || '}')
  ON CONFLICT (account_id, type, fact) DO NOTHING RETURNING id INTO stored;
  IF stored IS NULL THEN RETURN NULL; END IF;
  WITH wanting AS (
    SELECT id FROM webhook_endpoint
    WHERE account_id = account AND disabled_at IS NULL
      AND CASE WHEN is_sample THEN id = only_endpoint ELSE kind = ANY (events) END),
  made AS (
    INSERT INTO webhook_delivery (account_id, endpoint_id, event_id, changed_at)
    SELECT account, id, event, moment FROM wanting RETURNING id, endpoint_id)
  INSERT INTO webhook_due (delivery_id, account_id, endpoint_id, event_id, due_at) SELECT id, account, endpoint_id,
    event, moment FROM made;
  IF FOUND THEN PERFORM pg_notify('reelgate', 'webhook-due:'); END IF;
  PERFORM pg_notify('reelgate', 'webhook:' || account);
  RETURN event;
END $$;
