-- Ids of events begin with their time (milliseconds, 12 hex digits) and go on at random (74 bits), as UUIDs of version 7 do: events of one hour
-- stand together in the index, where ids that were random all over cost each delivery a part of the index that nobody had in hand.
CREATE FUNCTION new_event_id() RETURNS TEXT LANGUAGE sql VOLATILE AS $$
  SELECT 'evt_' || lpad(to_hex((extract(epoch FROM service_now()) * 1000)::bigint), 12, '0') || left(replace(gen_random_uuid()::text, '-', ''), 20)
$$;

-- The queue names the event, so that a claim need not ask the delivery for it.
ALTER TABLE "webhook_due" ADD COLUMN "event_id" TEXT;
UPDATE webhook_due SET event_id = webhook_delivery.event_id FROM webhook_delivery WHERE webhook_delivery.id = webhook_due.delivery_id;
ALTER TABLE "webhook_due" ALTER COLUMN "event_id" SET NOT NULL;

-- As before, with such ids, and the event's beside the queued delivery.
CREATE OR REPLACE FUNCTION emit_event(event TEXT, account TEXT, kind TEXT, data JSON, of_fact TEXT DEFAULT NULL, is_sample BOOLEAN DEFAULT false, only_endpoint TEXT DEFAULT NULL)
RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
  moment TIMESTAMPTZ := date_trunc('milliseconds', service_now());
  stored TEXT;
BEGIN
  event := COALESCE(event, new_event_id());
  INSERT INTO webhook_event (id, account_id, type, fact, sample, created_at, payload)
  VALUES (event, account, kind, of_fact, is_sample, moment, '{"eventId":"' || event || '","eventType":"' || kind || '","createdAt":"'
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
  INSERT INTO webhook_due (delivery_id, account_id, endpoint_id, event_id, due_at) SELECT id, account, endpoint_id, event, moment FROM made;
  IF FOUND THEN PERFORM pg_notify('reelgate', 'webhook-due:'); END IF;
  PERFORM pg_notify('reelgate', 'webhook:' || account);
  RETURN event;
END $$;
