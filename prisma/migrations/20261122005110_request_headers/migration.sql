-- Request headers that say something about a call: accept, content-type, if-none-match, origin, and whether it was idempotent.
ALTER TABLE request_log ADD COLUMN sent JSONB NOT NULL DEFAULT '{}';
