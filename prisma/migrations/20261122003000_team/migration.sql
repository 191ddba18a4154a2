-- The team: who is asked to join, who was last seen when, and an audit log that names people even after they are gone.

CREATE TABLE "invitation" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" "Role" NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "invited_by_id" TEXT NOT NULL,
    "invited_by_email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    -- When it was used or withdrawn: it works once, or no more.
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "invitation_token_hash_key" ON "invitation"("token_hash");
CREATE INDEX "invitation_account_id_created_at_idx" ON "invitation"("account_id", "created_at" DESC);
-- One open invitation for a person and account; the index decides between two at once.
CREATE UNIQUE INDEX "invitation_open_key" ON "invitation"("account_id", "email") WHERE "ended_at" IS NULL;
ALTER TABLE "invitation" ADD CONSTRAINT "invitation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "membership" ADD COLUMN "last_seen_at" TIMESTAMPTZ(3);

-- Where a session was seen is noted once a minute; the membership it worked under keeps it after the session has ended.
CREATE FUNCTION note_member_seen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE membership SET last_seen_at = NEW.last_seen_at
  WHERE user_id = NEW.user_id AND account_id = (
    SELECT account_id FROM membership WHERE user_id = NEW.user_id
    ORDER BY (account_id IS NOT DISTINCT FROM NEW.account_id) DESC, created_at, account_id LIMIT 1)
  AND (last_seen_at IS NULL OR last_seen_at < NEW.last_seen_at);
  RETURN NULL;
END $$;
CREATE TRIGGER user_session_seen AFTER INSERT OR UPDATE OF last_seen_at, account_id, awaits_code ON user_session
  FOR EACH ROW WHEN (NOT NEW.awaits_code) EXECUTE FUNCTION note_member_seen();

ALTER TABLE "audit_entry" ADD COLUMN "actor_email" TEXT;
CREATE INDEX "audit_entry_account_id_actor_id_idx" ON "audit_entry"("account_id", "actor", "id" DESC);
CREATE INDEX "audit_entry_account_id_action_id_idx" ON "audit_entry"("account_id", "action", "id" DESC);
