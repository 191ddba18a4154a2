-- What is still to be delivered stands in a small table of its own. A delivery's row is in several indexes; while when it is due and who has
-- it in hand stood there as well, each claim and each outcome wrote all of them anew, which was most of what a delivery cost.
CREATE SEQUENCE webhook_claim_seq CACHE 100;

CREATE TABLE "webhook_due" (
    "delivery_id" BIGINT NOT NULL,
    "account_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claim" BIGINT,
    "claimed_until" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_due_pkey" PRIMARY KEY ("delivery_id")
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
CREATE INDEX "webhook_due_endpoint_id_due_at_idx" ON "webhook_due"("endpoint_id", "due_at");
ALTER TABLE "webhook_due" ADD CONSTRAINT "webhook_due_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;

INSERT INTO webhook_due (delivery_id, account_id, endpoint_id, due_at, attempts)
SELECT id, account_id, endpoint_id, due_at, attempts FROM webhook_delivery WHERE status = 'PENDING';

DROP INDEX "webhook_delivery_due_idx";
ALTER TABLE "webhook_delivery" DROP COLUMN "due_at", DROP COLUMN "claims", DROP COLUMN "claimed";
-- Room beside a row for its outcome, so that no index need know of it.
ALTER TABLE "webhook_delivery" SET (fillfactor = 50);
-- They go with their endpoint, which goes with its account.
ALTER TABLE "webhook_delivery" DROP CONSTRAINT "webhook_delivery_account_id_fkey";
-- The lists of the dashboard.
CREATE INDEX "webhook_delivery_endpoint_id_id_idx" ON "webhook_delivery"("endpoint_id", "id");
CREATE INDEX "webhook_event_account_id_seq_idx" ON "webhook_event"("account_id", "seq");
CREATE INDEX "webhook_event_account_id_created_at_idx" ON "webhook_event"("account_id", "created_at");

-- An attempt is only ever looked up by its delivery.
ALTER TABLE "webhook_attempt" DROP CONSTRAINT "webhook_attempt_pkey";
DROP INDEX "webhook_attempt_delivery_id_id_idx";
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("delivery_id", "id");

-- As before, and queued.
CREATE OR REPLACE FUNCTION emit_event(event TEXT, account TEXT, kind TEXT, data JSON, of_fact TEXT DEFAULT NULL, is_sample BOOLEAN DEFAULT false, only_endpoint TEXT DEFAULT NULL)
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
  WITH wanting AS (
    SELECT id FROM webhook_endpoint
    WHERE account_id = account AND disabled_at IS NULL
      AND CASE WHEN is_sample THEN id = only_endpoint ELSE kind = ANY (events) END),
  made AS (
    INSERT INTO webhook_delivery (account_id, endpoint_id, event_id, changed_at)
    SELECT account, id, event, moment FROM wanting RETURNING id, endpoint_id)
  INSERT INTO webhook_due (delivery_id, account_id, endpoint_id, due_at) SELECT id, account, endpoint_id, moment FROM made;
  IF FOUND THEN PERFORM pg_notify('reelgate', 'webhook-due:'); END IF;
  PERFORM pg_notify('reelgate', 'webhook:' || account);
  RETURN event;
END $$;

-- Also tells of deliveries that are taken in hand.
CREATE TRIGGER webhook_due_updated AFTER UPDATE ON webhook_due REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION notify_webhook_delivery();

-- Dispatchers that have deliveries of an endpoint in hand look at it anew.
CREATE FUNCTION notify_webhook_receiver() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'webhook-receiver:' || OLD.id);
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_endpoint_gone AFTER DELETE ON webhook_endpoint FOR EACH ROW EXECUTE FUNCTION notify_webhook_receiver();
CREATE TRIGGER webhook_endpoint_moved AFTER UPDATE ON webhook_endpoint FOR EACH ROW
  WHEN (OLD.url IS DISTINCT FROM NEW.url OR OLD.secret IS DISTINCT FROM NEW.secret OR OLD.disabled_at IS DISTINCT FROM NEW.disabled_at)
  EXECUTE FUNCTION notify_webhook_receiver();
