-- Signing keys of receipts. Public parts are published for ever; a private part is destroyed once its successor signs.
CREATE TABLE "receipt_key" (
    "kid" TEXT NOT NULL,
    -- Address of the installation (BASE_URL) under which it signs.
    "issuer" TEXT NOT NULL,
    -- Ed25519 public key, base64url.
    "public_key" TEXT NOT NULL,
    -- PKCS #8, sealed under the master key; null once destroyed.
    "private_key" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
    "signs_from" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "receipt_key_pkey" PRIMARY KEY ("kid")
);

-- Processes that run. A row is written before a process takes requests, renewed while it lives, and removed when it ends or falls silent.
CREATE TABLE "process" (
    "id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "roles" TEXT[] NOT NULL,
    "version" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_clock(),
    "heartbeat_at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_clock(),

    CONSTRAINT "process_pkey" PRIMARY KEY ("id")
);

-- A key that stopped working by a change of its row: revoked, disabled, or rotated without an overlap.
CREATE TABLE "key_stop" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL CHECK ("kind" IN ('key.revocation', 'key.disabled')),
    -- Read from the clock while the key's row was locked: no token was issued with the key later.
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "key_stop_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "key_stop_key_id_at_idx" ON "key_stop"("key_id", "at" DESC);
CREATE INDEX "key_stop_account_id_at_id_idx" ON "key_stop"("account_id", "at" DESC, "id");
ALTER TABLE "key_stop" ADD CONSTRAINT "key_stop_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "key_stop" ADD CONSTRAINT "key_stop_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "api_key"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What each process that took requests at that moment says of it. Facts of the process are copied: its own row goes when it ends.
CREATE TABLE "key_stop_process" (
    "stop_id" TEXT NOT NULL,
    "process_id" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "pid" INTEGER NOT NULL,
    "version" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    -- When it last renewed its row, as known here.
    "heard_at" TIMESTAMPTZ(3) NOT NULL,
    -- When it found, asking as for a request, that it refuses the key; null while it has not said so.
    "refused_at" TIMESTAMPTZ(3),
    -- The last request with the key that it let through; null when there was none since it started.
    "last_accepted_at" TIMESTAMPTZ(3),
    -- It was stopped in order before it had said so.
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "key_stop_process_pkey" PRIMARY KEY ("stop_id", "process_id")
);
CREATE INDEX "key_stop_process_waiting_idx" ON "key_stop_process"("process_id") WHERE "refused_at" IS NULL AND "ended_at" IS NULL;
ALTER TABLE "key_stop_process" ADD CONSTRAINT "key_stop_process_stop_id_fkey" FOREIGN KEY ("stop_id") REFERENCES "key_stop"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Written by the database, as change notices are, so that a key stopped by whatever program or person has its receipt. The processes
-- asked are those that take requests and were heard of within half a minute.
CREATE FUNCTION note_key_stop() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := service_clock();
  stop_id text := 'rcp_' || replace(gen_random_uuid()::text, '-', '');
  stopped text;
BEGIN
  IF NEW.revoked_at <= moment AND (OLD.revoked_at IS NULL OR OLD.revoked_at > moment) THEN stopped := 'key.revocation';
  ELSIF NEW.disabled_at IS NOT NULL AND OLD.disabled_at IS NULL THEN stopped := 'key.disabled';
  ELSE RETURN NULL;
  END IF;
  INSERT INTO key_stop (id, account_id, key_id, kind, at) VALUES (stop_id, NEW.account_id, NEW.id, stopped, moment);
  INSERT INTO key_stop_process (stop_id, process_id, host, pid, version, started_at, heard_at)
    SELECT stop_id, id, host, pid, version, started_at, heartbeat_at FROM process
    WHERE 'web' = ANY (roles) AND heartbeat_at > moment - interval '30 seconds';
  PERFORM pg_notify('reelgate', 'key-stop:' || stop_id || ':' || NEW.id || ':' || encode(NEW.hash, 'hex'));
  RETURN NULL;
END $$;

CREATE TRIGGER api_key_stopped AFTER UPDATE OF revoked_at, disabled_at ON api_key FOR EACH ROW EXECUTE FUNCTION note_key_stop();

-- What was deleted for good. Bound to no other row: it outlives the video, and the account.
CREATE TABLE "deletion" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL CHECK ("kind" IN ('video.deletion', 'account.deletion')),
    -- Id of the video or account.
    "subject" TEXT NOT NULL,
    -- For the list in the dashboard; not signed, and forgotten with the account.
    "title" TEXT,
    -- When its owner deleted it.
    "deleted_at" TIMESTAMPTZ(3) NOT NULL,
    -- When its rows went.
    "purged_at" TIMESTAMPTZ(3) NOT NULL DEFAULT service_clock(),
    -- Rows that went, by table.
    "rows" JSONB NOT NULL,
    -- Of a video: objects and bytes found in storage before the first removal, by kind.
    "stored" JSONB,
    -- When the storage was searched again and held nothing of it.
    "verified_at" TIMESTAMPTZ(3),
    -- The signed receipt; null until all of the above is known.
    "jws" TEXT,

    CONSTRAINT "deletion_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "deletion_kind_subject_key" ON "deletion"("kind", "subject");
CREATE INDEX "deletion_account_id_purged_at_id_idx" ON "deletion"("account_id", "purged_at" DESC, "id");

-- How many rows go with those of `target` for which `condition` holds, by table: they themselves and what foreign keys delete with them,
-- at any depth. Reads the catalogue, so that a table added later is counted as well. A row reached in two ways is counted once.
CREATE FUNCTION rows_deleted_with(target regclass, condition text) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  conditions jsonb := jsonb_build_object(target::text, condition);
  depth jsonb := jsonb_build_object(target::text, 0);
  todo text[] := ARRAY[target::text];
  parent text;
  parent_condition text;
  link record;
  child_condition text;
  counted bigint;
  result jsonb := '{}';
BEGIN
  WHILE cardinality(todo) > 0 LOOP
    parent := todo[1];
    todo := todo[2:];
    parent_condition := conditions ->> parent;
    FOR link IN
      SELECT c.conrelid::regclass::text AS child,
        (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.at) FROM unnest(c.conkey) WITH ORDINALITY AS k(num, at)
          JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.num) AS child_columns,
        (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.at) FROM unnest(c.confkey) WITH ORDINALITY AS k(num, at)
          JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.num) AS parent_columns
      FROM pg_constraint c WHERE c.contype = 'f' AND c.confdeltype = 'c' AND c.confrelid = parent::regclass AND c.conrelid <> c.confrelid
    LOOP
      child_condition := format('(%s) IN (SELECT %s FROM %s WHERE %s)', link.child_columns, link.parent_columns, parent, parent_condition);
      IF conditions ? link.child THEN child_condition := (conditions ->> link.child) || ' OR ' || child_condition;
      ELSIF (depth ->> parent)::int < 5 THEN todo := todo || link.child;
      END IF;
      conditions := conditions || jsonb_build_object(link.child, child_condition);
      depth := depth || jsonb_build_object(link.child, (depth ->> parent)::int + 1);
    END LOOP;
  END LOOP;
  FOR parent, parent_condition IN SELECT * FROM jsonb_each_text(conditions) LOOP
    EXECUTE format('SELECT count(*) FROM %s WHERE %s', parent, parent_condition) INTO counted;
    IF counted > 0 THEN result := result || jsonb_build_object(parent, counted); END IF;
  END LOOP;
  RETURN result;
END $$;
