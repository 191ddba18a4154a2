-- When the person was last shown to read the mail of their address, or a provider vouched for it; NULL when never.
ALTER TABLE "app_user" ADD COLUMN "email_proven_at" TIMESTAMPTZ(3);
-- A person without a password came through a provider that had verified the address.
UPDATE "app_user" u SET "email_proven_at" = u."created_at"
WHERE u."password_hash" IS NULL AND EXISTS (SELECT 1 FROM "user_identity" i WHERE i."user_id" = u."id" AND lower(i."email") = u."email");

-- Whether the link went by mail alone. One that a person was shown proves nothing about an address.
ALTER TABLE "invitation" ADD COLUMN "by_mail" BOOLEAN NOT NULL DEFAULT false;
-- Times that the letter was offered to the mail server, and when the server took it.
ALTER TABLE "invitation" ADD COLUMN "mail_tries" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "invitation" ADD COLUMN "mailed_at" TIMESTAMPTZ(3);
ALTER TABLE "password_reset" ADD COLUMN "by_mail" BOOLEAN NOT NULL DEFAULT true;

ALTER TABLE "account" ADD COLUMN "requires_second_factor" BOOLEAN NOT NULL DEFAULT false;

-- A member whose right to an account may have ended or begun loses the event streams they hold open (server/modules/auth/stream.ts looks again).
CREATE FUNCTION notify_requirement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'membership:' || account_id || ':' || user_id) FROM membership WHERE account_id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER account_requirement_changed AFTER UPDATE OF requires_second_factor ON account FOR EACH ROW
  WHEN (OLD.requires_second_factor IS DISTINCT FROM NEW.requires_second_factor) EXECUTE FUNCTION notify_requirement();

CREATE FUNCTION notify_second_factor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'membership:' || account_id || ':' || user_id) FROM membership WHERE user_id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER second_factor_changed AFTER UPDATE OF totp_since ON app_user FOR EACH ROW
  WHEN ((OLD.totp_since IS NULL) <> (NEW.totp_since IS NULL)) EXECUTE FUNCTION notify_second_factor();
