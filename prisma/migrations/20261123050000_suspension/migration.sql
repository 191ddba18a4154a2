-- Staff and the operator suspend accounts and people, and take videos down, each for a reason that the people concerned read.
ALTER TABLE "account" ADD COLUMN "suspended_at" TIMESTAMPTZ(3), ADD COLUMN "suspended_why" TEXT;
ALTER TABLE "app_user" ADD COLUMN "suspended_at" TIMESTAMPTZ(3), ADD COLUMN "suspended_why" TEXT;
ALTER TABLE "video" ADD COLUMN "taken_down_at" TIMESTAMPTZ(3), ADD COLUMN "taken_down_why" TEXT;

-- The key's own row says that its account is suspended, because that row is what orders a grant against whatever stops the key
-- (server/modules/quotas/grant.ts): a grant that waited for the row sees the suspension that it waited for.
ALTER TABLE "api_key" ADD COLUMN "suspended" BOOLEAN NOT NULL DEFAULT false;

CREATE INDEX "video_taken_down_at_idx" ON "video"("taken_down_at") WHERE "taken_down_at" IS NOT NULL;
CREATE INDEX "account_suspended_at_idx" ON "account"("suspended_at") WHERE "suspended_at" IS NOT NULL;

-- A key made at the same moment: FOR SHARE waits for a suspension that has not committed.
CREATE FUNCTION key_of_suspended_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT suspended_at IS NOT NULL INTO NEW.suspended FROM account WHERE id = NEW.account_id FOR SHARE;
  NEW.suspended := COALESCE(NEW.suspended, false);
  RETURN NEW;
END $$;
CREATE TRIGGER api_key_of_suspended_account BEFORE INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION key_of_suspended_account();
CREATE TRIGGER api_key_suspended AFTER UPDATE OF suspended ON api_key FOR EACH ROW EXECUTE FUNCTION notify_api_key();

-- Every process forgets what it holds of the account's media, and dispatchers what they hold of its endpoints.
CREATE FUNCTION suspend_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE api_key SET suspended = NEW.suspended_at IS NOT NULL WHERE account_id = NEW.id AND suspended <> (NEW.suspended_at IS NOT NULL);
  PERFORM pg_notify('reelgate', 'suspension:' || NEW.id);
  PERFORM pg_notify('reelgate', 'webhook-receiver:' || id) FROM webhook_endpoint WHERE account_id = NEW.id;
  PERFORM pg_notify('reelgate', 'webhook-due:');
  RETURN NULL;
END $$;
CREATE TRIGGER account_suspended AFTER UPDATE OF suspended_at ON account
  FOR EACH ROW WHEN ((OLD.suspended_at IS NULL) <> (NEW.suspended_at IS NULL)) EXECUTE FUNCTION suspend_account();

-- Deleting a session tells the streams that it opened. Sessions that begin later are refused by server/modules/auth/session.ts.
CREATE FUNCTION suspend_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM user_session WHERE user_id = NEW.id;
  DELETE FROM password_reset WHERE user_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER person_suspended AFTER UPDATE OF suspended_at ON app_user
  FOR EACH ROW WHEN (OLD.suspended_at IS NULL AND NEW.suspended_at IS NOT NULL) EXECUTE FUNCTION suspend_person();

-- Besides the video's own notice, which any progress sends too: which segments are withheld is held as one list.
CREATE FUNCTION notify_takedown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'takedown:' || NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER video_taken_down AFTER UPDATE OF taken_down_at ON video
  FOR EACH ROW WHEN ((OLD.taken_down_at IS NULL) <> (NEW.taken_down_at IS NULL)) EXECUTE FUNCTION notify_takedown();

-- A video under legal hold stays, by whatever way it is deleted: with its account, too.
CREATE FUNCTION keep_held_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'video % was taken down and is held', OLD.id USING ERRCODE = 'RG001';
END $$;
CREATE TRIGGER video_held BEFORE DELETE ON video FOR EACH ROW WHEN (OLD.taken_down_at IS NOT NULL) EXECUTE FUNCTION keep_held_video();

-- What one member of staff proposed and another one must approve.
CREATE TABLE "support_approval" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "credits" BIGINT NOT NULL,
    "reason" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'PENDING' CHECK ("status" IN ('PENDING', 'APPROVED', 'DECLINED')),
    "proposed_by" TEXT NOT NULL,
    "proposed_email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "answered_by" TEXT,
    "answered_email" TEXT,
    "answered_at" TIMESTAMPTZ(3),
    "answer" TEXT,

    CONSTRAINT "support_approval_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "support_approval_account_id_created_at_idx" ON "support_approval"("account_id", "created_at" DESC);
CREATE INDEX "support_approval_status_created_at_idx" ON "support_approval"("status", "created_at");
ALTER TABLE "support_approval" ADD CONSTRAINT "support_approval_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
