-- Who has deliveries in hand stands in a row for each claim, and no longer in each delivery's: a claim is written once for hundreds of them,
-- their rows only when they end, and the database keeps half as many dead ones. Claims of before end with this: at worst something is sent twice.
DROP TRIGGER webhook_due_updated ON webhook_due;
ALTER TABLE "webhook_due" DROP COLUMN "claim", DROP COLUMN "claimed_until";
ALTER TABLE "webhook_due" SET (fillfactor = 90);
-- With its round a place in the queue is told from a later one of the same delivery.
ALTER TABLE "webhook_due" ADD COLUMN "round" INTEGER NOT NULL DEFAULT 1;
UPDATE webhook_due SET round = d.round FROM webhook_delivery d WHERE d.id = delivery_id AND d.round <> 1;
DROP SEQUENCE webhook_claim_seq;
DROP INDEX "webhook_due_endpoint_id_due_at_idx";
CREATE INDEX "webhook_due_endpoint_id_due_at_delivery_id_idx" ON "webhook_due"("endpoint_id", "due_at", "delivery_id");

-- Named at random: a counter would begin anew after a crash, and give out names that somebody still holds.
CREATE UNLOGGED TABLE "webhook_claim" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "account_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "deliveries" BIGINT[],
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_claim_pkey" PRIMARY KEY ("id")
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
CREATE INDEX "webhook_claim_endpoint_id_idx" ON "webhook_claim"("endpoint_id");
-- At most 500 of them: packing them would cost more than the room.
ALTER TABLE "webhook_claim" ALTER COLUMN "deliveries" SET STORAGE PLAIN;

-- The dashboard shows what is on its way.
CREATE TRIGGER webhook_claim_inserted AFTER INSERT ON webhook_claim REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION notify_webhook_delivery();

-- Who takes from these queues does so alone, until the transaction ends, and finds no claim there that has ended; one whose outcomes are being
-- written just now stays. Answers with those that were locked: without waiting, queues that somebody else has are left out.
CREATE FUNCTION lock_webhook_queues(endpoints TEXT[], waiting BOOLEAN) RETURNS TEXT[] LANGUAGE plpgsql AS $$
BEGIN
  IF waiting THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(id, 0)) FROM (SELECT id FROM unnest(endpoints) AS id ORDER BY id) AS ordered;
  ELSE
    endpoints := ARRAY(SELECT id FROM unnest(endpoints) AS id WHERE pg_try_advisory_xact_lock(hashtextextended(id, 0)));
  END IF;
  DELETE FROM webhook_claim WHERE id IN (
    SELECT id FROM webhook_claim WHERE endpoint_id = ANY (endpoints) AND until <= service_now() FOR UPDATE SKIP LOCKED);
  RETURN endpoints;
END $$;
