-- The transcode queue (docs/decisions/0034): one row for each video that waits or is being transcoded. The database keeps it in step with
-- the videos, so that no writer can forget to: a deleted video leaves it in the transaction that deletes it.
CREATE TABLE "transcode_queue" (
    "video_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "queued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
    "leased_until" TIMESTAMPTZ(3),

    CONSTRAINT "transcode_queue_pkey" PRIMARY KEY ("video_id"),
    CONSTRAINT "transcode_queue_video_id_fkey" FOREIGN KEY ("video_id") REFERENCES "video"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "transcode_queue_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "transcode_queue_account_id_queued_at_video_id_idx" ON "transcode_queue"("account_id", "queued_at", "video_id");

-- How many turns an account has had, on the scale of the clock below. Without a row: none.
CREATE TABLE "transcode_turn" (
    "account_id" TEXT NOT NULL,
    "turn" BIGINT NOT NULL,

    CONSTRAINT "transcode_turn_pkey" PRIMARY KEY ("account_id"),
    CONSTRAINT "transcode_turn_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- The turn that was begun last. An account that had no videos for a while joins here: turns that it did not use are not saved up.
CREATE TABLE "transcode_clock" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "turn" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "transcode_clock_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "transcode_clock_one_row" CHECK ("id" = 1)
);
INSERT INTO transcode_clock DEFAULT VALUES;

-- What a video of an account moves it on by: a paid account has three turns for each of a free one.
CREATE FUNCTION transcode_turn_cost(tier "Tier") RETURNS BIGINT LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE tier WHEN 'PAID' THEN 1 ELSE 3 END::bigint $$;

-- The rule: the order in which waiting videos are begun if nothing else comes. Accounts take turns (start-time fair queueing); within an
-- account the oldest is first. Videos that wait for their next try have no position until it is due.
CREATE VIEW transcode_order AS
SELECT video_id, account_id, turn, cost, row_number() OVER (ORDER BY turn, queued_at, video_id) AS position
FROM (
  SELECT q.video_id, q.account_id, q.queued_at, transcode_turn_cost(a.tier) AS cost,
    GREATEST(COALESCE(t.turn, 0), (SELECT turn FROM transcode_clock))
      + transcode_turn_cost(a.tier) * (row_number() OVER (PARTITION BY q.account_id ORDER BY q.queued_at, q.video_id) - 1) AS turn
  FROM transcode_queue q
  JOIN account a ON a.id = q.account_id
  LEFT JOIN transcode_turn t ON t.account_id = q.account_id
  WHERE q.leased_until IS NULL AND q.due_at <= service_now()
) AS waiting;

-- Picks the video that is begun next, locks it until the transaction ends, and counts the turn. Workers pick one after another; a video that
-- a transaction is changing just now (it may be deleting it) is passed over. First comes what a lost worker had: it had its turn before.
-- Videos are locked before their places in the queue, as by everything that changes a video.
CREATE FUNCTION transcode_next() RETURNS TABLE (next_account TEXT, next_video TEXT) LANGUAGE plpgsql AS $$
DECLARE candidate RECORD;
BEGIN
  PERFORM 1 FROM transcode_clock FOR NO KEY UPDATE;
  FOR candidate IN SELECT q.account_id, q.video_id FROM transcode_queue q WHERE q.leased_until <= service_now() ORDER BY q.leased_until, q.video_id LOOP
    IF transcode_lock(candidate.video_id) THEN
      RETURN QUERY SELECT candidate.account_id, candidate.video_id;
      RETURN;
    END IF;
  END LOOP;
  FOR candidate IN SELECT o.account_id, o.video_id, o.turn, o.cost FROM transcode_order o ORDER BY o.position LOOP
    IF transcode_lock(candidate.video_id) THEN
      UPDATE transcode_clock SET turn = candidate.turn WHERE turn < candidate.turn;
      INSERT INTO transcode_turn (account_id, turn) VALUES (candidate.account_id, candidate.turn + candidate.cost)
        ON CONFLICT (account_id) DO UPDATE SET turn = EXCLUDED.turn;
      RETURN QUERY SELECT candidate.account_id, candidate.video_id;
      RETURN;
    END IF;
  END LOOP;
END $$;

-- Locks a video that is still to be transcoded; false when it is not, or when another transaction holds it.
CREATE FUNCTION transcode_lock(wanted TEXT) RETURNS BOOLEAN LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM video WHERE id = wanted AND deleted_at IS NULL AND status IN ('PENDING', 'PROCESSING') FOR NO KEY UPDATE SKIP LOCKED;
  RETURN FOUND;
END $$;

CREATE FUNCTION queue_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status IN ('PENDING', 'PROCESSING') AND NEW.deleted_at IS NULL THEN
    -- A video that was being transcoded when it was deleted or queued from elsewhere has no worker now.
    INSERT INTO transcode_queue (video_id, account_id) VALUES (NEW.id, NEW.account_id) ON CONFLICT (video_id) DO NOTHING;
    IF FOUND OR NEW.status = 'PENDING' THEN PERFORM pg_notify('reelgate', 'transcode-due:' || NEW.id); END IF;
  ELSE
    DELETE FROM transcode_queue WHERE video_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER video_inserted_queue AFTER INSERT ON video FOR EACH ROW EXECUTE FUNCTION queue_video();
CREATE TRIGGER video_changed_queue AFTER UPDATE ON video FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at) EXECUTE FUNCTION queue_video();

-- Stops the worker that has the video in hand at once.
CREATE FUNCTION notify_video_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'video-gone:' || OLD.id);
  RETURN NULL;
END $$;
CREATE TRIGGER video_gone AFTER UPDATE OF deleted_at ON video FOR EACH ROW
  WHEN (NEW.deleted_at IS NOT NULL AND OLD.status = 'PROCESSING') EXECUTE FUNCTION notify_video_gone();
CREATE TRIGGER video_row_gone AFTER DELETE ON video FOR EACH ROW
  WHEN (OLD.status = 'PROCESSING') EXECUTE FUNCTION notify_video_gone();

-- Videos of before: in the order in which they came. A worker of the version before may still hold one for a moment. Their jobs are begun
-- by none any more; pg-boss forgets them in time.
INSERT INTO transcode_queue (video_id, account_id, queued_at, leased_until)
SELECT id, account_id, created_at, CASE status WHEN 'PROCESSING' THEN service_now() + interval '1 minute' END
FROM video WHERE status IN ('PENDING', 'PROCESSING') AND deleted_at IS NULL;
