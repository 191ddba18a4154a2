-- Ended invitations are deleted (server/modules/accounts/prune-invitations.ts).
CREATE INDEX CONCURRENTLY invitation_ended_idx ON invitation (LEAST(expires_at, ended_at));
