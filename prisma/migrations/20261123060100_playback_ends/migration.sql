-- Ends of playback: sessions of a subject (a video, an API key's tokens, one token) that are older than its number are refused.
CREATE TABLE "playback_end" (
    "subject" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
    "kept_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "playback_end_pkey" PRIMARY KEY ("subject")
);
CREATE INDEX "playback_end_kept_until_idx" ON "playback_end"("kept_until");
CREATE INDEX "playback_end_account_id_idx" ON "playback_end"("account_id");
ALTER TABLE "playback_end" ADD CONSTRAINT "playback_end_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The number of the last end, in one row. Its lock makes ends commit in the order of their numbers, which a sequence would not.
CREATE TABLE "playback_end_last" (
    "only" BOOLEAN NOT NULL DEFAULT TRUE CHECK ("only"),
    "number" BIGINT NOT NULL,

    CONSTRAINT "playback_end_last_pkey" PRIMARY KEY ("only")
);
INSERT INTO "playback_end_last" ("number") VALUES (0);

-- Every process holds the ends in memory and adds what a notice names (server/modules/playback/ends.ts); 0 says that an end is forgotten.
CREATE FUNCTION notify_playback_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM pg_notify('reelgate', 'playback:0 ' || OLD.subject);
  ELSE
    PERFORM pg_notify('reelgate', 'playback:' || NEW.number || ' ' || NEW.subject);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER playback_end_changed
  AFTER INSERT OR UPDATE OR DELETE ON playback_end
  FOR EACH ROW EXECUTE FUNCTION notify_playback_end();
