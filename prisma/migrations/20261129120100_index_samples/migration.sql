-- Sample events are deleted earlier than others (server/modules/webhooks/purge.ts).
CREATE INDEX CONCURRENTLY webhook_event_sample_idx ON webhook_event (created_at) WHERE sample;
