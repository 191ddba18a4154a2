-- What became of a delivery is told by its place in the queue and its attempts, and no longer by its own row too: writing that again for each
-- outcome was a third of what a delivery cost the database. Its row is written when it begins, dies, or is replayed.
ALTER TABLE "webhook_delivery" RENAME COLUMN "outcome" TO "died_of";
UPDATE webhook_delivery SET died_of = NULL WHERE status <> 'DEAD' AND died_of IS NOT NULL;
UPDATE webhook_delivery SET died_of = 'It was given up.' WHERE status = 'DEAD' AND died_of IS NULL;
ALTER TABLE "webhook_delivery" DROP COLUMN "status", DROP COLUMN "attempts";
DROP TYPE "DeliveryStatus";
-- For the list of dead letters.
CREATE INDEX "webhook_delivery_dead_idx" ON "webhook_delivery"("endpoint_id", "id") WHERE died_of IS NOT NULL;
ALTER TABLE "webhook_delivery" SET (fillfactor = 90);

-- Each delivery as it stands; `attempts` and `outcome` of its present round.
CREATE VIEW webhook_delivery_state AS
SELECT d.id, d.account_id, d.endpoint_id, d.event_id, d.round, d.died_of, q.delivery_id AS queued_id, q.due_at,
  CASE WHEN q.delivery_id IS NOT NULL THEN 'PENDING' WHEN d.died_of IS NOT NULL THEN 'DEAD' ELSE 'DELIVERED' END AS status,
  COALESCE((SELECT a.number FROM webhook_attempt a WHERE a.delivery_id = d.id AND a.round = d.round ORDER BY a.id DESC LIMIT 1), 0) AS attempts,
  COALESCE(d.died_of, (SELECT a.problem FROM webhook_attempt a WHERE a.delivery_id = d.id AND a.round = d.round ORDER BY a.id DESC LIMIT 1)) AS outcome,
  GREATEST(d.changed_at, (SELECT a.at + a.duration_ms * interval '1 millisecond' FROM webhook_attempt a
    WHERE a.delivery_id = d.id AND a.round = d.round ORDER BY a.id DESC LIMIT 1)) AS changed_at
FROM webhook_delivery d LEFT JOIN webhook_due q ON q.delivery_id = d.id AND q.endpoint_id = d.endpoint_id;
