-- Stores an event and a queued delivery for each endpoint that is subscribed to it, in the caller's transaction.
-- Returns the event's id, or null when the account has an event of this type and deduplication key. A null `event`
-- gets a new id. An event about the viewer p_viewer has a null as `viewerId` in its data (event-viewers.ts reads
-- the ID), and is stored only while an endpoint subscribes to its type, because there are many.
CREATE OR REPLACE FUNCTION emit_event(event TEXT, account TEXT, kind TEXT, data JSON, p_dedupe_key TEXT DEFAULT NULL,
  is_sample BOOLEAN DEFAULT false, only_endpoint TEXT DEFAULT NULL, p_viewer TEXT DEFAULT NULL)
RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
  moment TIMESTAMPTZ := service_now();
  stored TEXT;
BEGIN
  IF p_viewer IS NOT NULL AND NOT EXISTS (
      SELECT FROM webhook_endpoint WHERE account_id = account AND kind = ANY (events)) THEN
    RETURN NULL;
  END IF;
  event := COALESCE(event, new_event_id());
  INSERT INTO webhook_event (id, account_id, type, dedupe_key, viewer_id, sample, created_at, tx, payload)
  VALUES (event, account, kind, p_dedupe_key, p_viewer, is_sample, moment,
    pg_current_xact_id()::text::bigint + (SELECT event_position_offset FROM installation),
    '{"eventId":"' || event || '","eventType":"' || kind || '","createdAt":"'
    || to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' || data::text
    || ',"id":"' || event || '","type":"' || kind || '"}')
  ON CONFLICT (account_id, type, dedupe_key) DO NOTHING RETURNING id INTO stored;
  IF stored IS NULL THEN RETURN NULL; END IF;
  WITH wanting AS (
    SELECT id FROM webhook_endpoint
    WHERE account_id = account AND disabled_at IS NULL
      AND CASE WHEN is_sample THEN id = only_endpoint ELSE kind = ANY (events) END),
  made AS (
    INSERT INTO webhook_delivery (account_id, endpoint_id, event_id, changed_at)
    SELECT account, id, event, moment FROM wanting RETURNING id, endpoint_id)
  INSERT INTO webhook_queue (delivery_id, account_id, endpoint_id, event_id, due_at) SELECT id, account, endpoint_id,
    event, moment FROM made;
  IF FOUND THEN PERFORM pg_notify('reelgate', 'webhook-due:'); END IF;
  PERFORM pg_notify('reelgate', 'webhook:' || account);
  RETURN event;
END $$;
