-- People: how they prove who they are, and where they are signed in.

-- Who only ever signs in through a provider has no password.
ALTER TABLE "app_user" ALTER COLUMN "password_hash" DROP NOT NULL;
ALTER TABLE "app_user"
    ADD COLUMN "totp_secret" BYTEA,
    ADD COLUMN "totp_since" TIMESTAMPTZ(3),
    ADD COLUMN "totp_last_step" INTEGER;

CREATE TABLE "user_session" (
    "id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "account_id" TEXT,
    "method" TEXT NOT NULL,
    "awaits_code" BOOLEAN NOT NULL DEFAULT false,
    "address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    "link_provider" TEXT,
    "link_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "user_session_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "recovery_code" (
    "user_id" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("user_id", "hash")
);

CREATE TABLE "user_identity" (
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "user_identity_pkey" PRIMARY KEY ("issuer", "subject")
);

CREATE TABLE "password_reset" (
    "hash" BYTEA NOT NULL,
    "user_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "password_reset_pkey" PRIMARY KEY ("hash")
);

CREATE INDEX "user_session_user_id_created_at_idx" ON "user_session"("user_id", "created_at" DESC);
CREATE INDEX "user_session_expires_at_idx" ON "user_session"("expires_at");
CREATE INDEX "user_identity_user_id_idx" ON "user_identity"("user_id");
CREATE INDEX "password_reset_user_id_idx" ON "password_reset"("user_id");

ALTER TABLE "user_session" ADD CONSTRAINT "user_session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "user_session" ADD CONSTRAINT "user_session_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE SET NULL ON UPDATE CASCADE;
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "user_identity" ADD CONSTRAINT "user_identity_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "password_reset" ADD CONSTRAINT "password_reset_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "app_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Who was signed out, or is no member any more, loses the event streams they hold open (server/modules/auth/stream.ts).
CREATE FUNCTION notify_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'session:' || OLD.id);
  RETURN NULL;
END $$;

CREATE TRIGGER user_session_ended AFTER DELETE OR UPDATE OF account_id ON user_session FOR EACH ROW EXECUTE FUNCTION notify_session();

CREATE FUNCTION notify_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'membership:' || OLD.account_id || ':' || OLD.user_id);
  RETURN NULL;
END $$;

CREATE TRIGGER membership_changed AFTER DELETE OR UPDATE OF role ON membership FOR EACH ROW EXECUTE FUNCTION notify_membership();
