-- Waits of the last day, and of the last days.
CREATE INDEX CONCURRENTLY media_started_at_idx ON media (started_at);
