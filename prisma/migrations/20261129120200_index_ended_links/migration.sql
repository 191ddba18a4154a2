-- Ended share links are deleted (server/modules/sharing/prune-links.ts).
CREATE INDEX CONCURRENTLY share_link_ended_idx ON share_link (LEAST(expires_at, revoked_at));
