-- Frees deliveries of claims, and ends the claims in `over`.
CREATE OR REPLACE FUNCTION shorten_webhook_claims(claims UUID[], deliveries BIGINT[], over UUID[]) RETURNS VOID
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  DELETE FROM webhook_claim WHERE id = ANY (over);
  WITH free AS MATERIALIZED (SELECT unnest(shorten_webhook_claims.deliveries) AS id)
  UPDATE webhook_claim c SET deliveries = ARRAY(SELECT one FROM unnest(c.deliveries) AS one
    WHERE one NOT IN (SELECT free.id FROM free))
  WHERE c.id IN (SELECT id FROM webhook_claim WHERE id = ANY (claims) ORDER BY id FOR UPDATE);
END $$;
