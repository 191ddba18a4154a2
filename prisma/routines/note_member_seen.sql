-- Where a session was seen is noted once a minute; the membership it worked under keeps it after the session has ended.
CREATE OR REPLACE FUNCTION note_member_seen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE membership SET last_seen_at = NEW.last_seen_at
  WHERE user_id = NEW.user_id AND account_id = (
    SELECT account_id FROM membership WHERE user_id = NEW.user_id
    ORDER BY (account_id IS NOT DISTINCT FROM NEW.account_id) DESC, created_at, account_id LIMIT 1)
  AND (last_seen_at IS NULL OR last_seen_at < NEW.last_seen_at);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER user_session_seen AFTER INSERT OR UPDATE OF last_seen_at, account_id, mfa_pending
  ON user_session
  FOR EACH ROW WHEN (NOT NEW.mfa_pending) EXECUTE FUNCTION note_member_seen();
