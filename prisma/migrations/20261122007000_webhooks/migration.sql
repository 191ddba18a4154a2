-- Webhooks: events with the payload as it was when they happened, who wants them, and each delivery's way.

CREATE TYPE "DeliveryStatus" AS ENUM ('PENDING', 'DELIVERED', 'DEAD');

CREATE TABLE "webhook_event" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "fact" TEXT,
    "sample" BOOLEAN NOT NULL DEFAULT false,
    "payload" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "tx" BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text)::bigint,

    CONSTRAINT "webhook_event_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "webhook_event_account_id_type_fact_key" ON "webhook_event"("account_id", "type", "fact");
CREATE INDEX "webhook_event_account_id_tx_seq_idx" ON "webhook_event"("account_id", "tx", "seq");
CREATE INDEX "webhook_event_created_at_idx" ON "webhook_event"("created_at");
ALTER TABLE "webhook_event" ADD CONSTRAINT "webhook_event_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "webhook_endpoint" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "events" TEXT[] NOT NULL,
    "secret" BYTEA NOT NULL,
    "previous_secret" BYTEA,
    "previous_until" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_why" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_endpoint_account_id_created_at_idx" ON "webhook_endpoint"("account_id", "created_at");
ALTER TABLE "webhook_endpoint" ADD CONSTRAINT "webhook_endpoint_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "webhook_delivery" (
    "id" BIGSERIAL NOT NULL,
    "account_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "event_id" TEXT NOT NULL,
    "status" "DeliveryStatus" NOT NULL DEFAULT 'PENDING',
    "due_at" TIMESTAMPTZ(3),
    "claims" INTEGER NOT NULL DEFAULT 0,
    "claimed" BOOLEAN NOT NULL DEFAULT false,
    "round" INTEGER NOT NULL DEFAULT 1,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "outcome" TEXT,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX "webhook_delivery_endpoint_id_event_id_key" ON "webhook_delivery"("endpoint_id", "event_id");
CREATE INDEX "webhook_delivery_event_id_idx" ON "webhook_delivery"("event_id");
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "webhook_endpoint"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_event_id_fkey" FOREIGN KEY ("event_id") REFERENCES "webhook_event"("id") ON DELETE CASCADE ON UPDATE CASCADE;
-- What the dispatcher reads: an endpoint's undelivered, by when they are due. A claim moves due_at to where the claim ends.
CREATE INDEX "webhook_delivery_due_idx" ON "webhook_delivery"("endpoint_id", "due_at") WHERE "status" = 'PENDING';

CREATE TABLE "webhook_attempt" (
    "id" BIGSERIAL NOT NULL,
    "delivery_id" BIGINT NOT NULL,
    "round" INTEGER NOT NULL,
    "number" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "signature" TEXT NOT NULL,
    "status" INTEGER,
    "headers" TEXT,
    "body" TEXT,
    "problem" TEXT,
    "next_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_attempt_delivery_id_id_idx" ON "webhook_attempt"("delivery_id", "id");
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A retry from the dashboard is a new fact with events of its own; a worker that takes over is not.
ALTER TABLE "video" ADD COLUMN "retries" INTEGER NOT NULL DEFAULT 0;

-- Stores an event and a delivery for each endpoint that wants it, in the caller's transaction. Answers the event's id, or null when
-- the same fact (of one account and type) has its event already. `event` may be null; then an id is made.
CREATE FUNCTION emit_event(event TEXT, account TEXT, kind TEXT, data JSON, of_fact TEXT DEFAULT NULL, is_sample BOOLEAN DEFAULT false, only_endpoint TEXT DEFAULT NULL)
RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
  moment TIMESTAMPTZ := date_trunc('milliseconds', service_now());
  stored TEXT;
BEGIN
  event := COALESCE(event, 'evt_' || replace(gen_random_uuid()::text, '-', ''));
  INSERT INTO webhook_event (id, account_id, type, fact, sample, created_at, payload)
  VALUES (event, account, kind, of_fact, is_sample, moment, '{"eventId":"' || event || '","eventType":"' || kind || '","createdAt":"'
    || to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","data":' || data::text || '}')
  ON CONFLICT (account_id, type, fact) DO NOTHING RETURNING id INTO stored;
  IF stored IS NULL THEN RETURN NULL; END IF;
  INSERT INTO webhook_delivery (account_id, endpoint_id, event_id, due_at, changed_at)
  SELECT account, id, event, moment, moment FROM webhook_endpoint
  WHERE account_id = account AND disabled_at IS NULL
    AND CASE WHEN is_sample THEN id = only_endpoint ELSE kind = ANY (events) END;
  IF FOUND THEN PERFORM pg_notify('reelgate', 'webhook-due:'); END IF;
  PERFORM pg_notify('reelgate', 'webhook:' || account);
  RETURN event;
END $$;

-- The dashboard's live table: one notice for each account that a statement touched.
CREATE FUNCTION notify_webhook_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'webhook:' || account_id) FROM (SELECT DISTINCT account_id FROM changed) AS touched;
  RETURN NULL;
END $$;

CREATE TRIGGER webhook_delivery_updated AFTER UPDATE ON webhook_delivery REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION notify_webhook_delivery();
CREATE TRIGGER webhook_delivery_inserted AFTER INSERT ON webhook_delivery REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION notify_webhook_delivery();

CREATE FUNCTION notify_webhook_endpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'webhook:' || COALESCE(NEW.account_id, OLD.account_id));
  RETURN NULL;
END $$;

CREATE TRIGGER webhook_endpoint_changed AFTER INSERT OR UPDATE OR DELETE ON webhook_endpoint
  FOR EACH ROW EXECUTE FUNCTION notify_webhook_endpoint();
