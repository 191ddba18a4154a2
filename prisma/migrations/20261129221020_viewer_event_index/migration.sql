-- For the deletion of a viewer.
CREATE INDEX CONCURRENTLY webhook_event_viewer_id_idx ON webhook_event (viewer_id) WHERE viewer_id IS NOT NULL;
