-- The tables, types, indexes and first rows. Functions, triggers and views are in prisma/routines and come after the
-- migrations; service_now() and service_clock() are there before, because defaults of columns call them.

CREATE SCHEMA IF NOT EXISTS public;
-- The job queue makes its own tables in here; the role of the service may make no schemas.
CREATE SCHEMA IF NOT EXISTS pgboss;

-- Letter case and order of all scripts, whatever the locale of the database: from ICU, else from PostgreSQL itself (17 or
-- newer), else from the system. What each offers is known only once a letter has been folded.
DO $$
DECLARE
  source TEXT;
  folds BOOLEAN;
BEGIN
  FOREACH source IN ARRAY ARRAY[
    $s$provider = icu, locale = 'und'$s$,
    $s$provider = builtin, locale = 'PG_UNICODE_FAST'$s$,
    $s$provider = builtin, locale = 'C.UTF-8'$s$,
    $s$provider = libc, locale = 'C.UTF-8'$s$,
    $s$provider = libc, locale = 'en_US.UTF-8'$s$
  ] LOOP
    BEGIN
      EXECUTE format('CREATE COLLATION reelgate (%s)', source);
      EXECUTE $s$SELECT lower('ÜП' COLLATE reelgate) = 'üп'$s$ INTO folds;
      IF folds THEN RETURN; END IF;
      DROP COLLATION reelgate;
    EXCEPTION
      WHEN insufficient_privilege THEN RAISE;
      -- This one is not there.
      WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  RAISE WARNING 'This PostgreSQL knows no letters but those of ASCII: it has neither ICU nor a locale in UTF-8.';
  CREATE COLLATION reelgate FROM "C";
END $$;

CREATE TYPE "Tier" AS ENUM ('FREE', 'PAID');
CREATE TYPE "Role" AS ENUM ('OWNER', 'DEVELOPER', 'VIEWER');
CREATE TYPE "KeyEnvironment" AS ENUM ('LIVE', 'TEST');
CREATE TYPE "VideoStatus" AS ENUM ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED');
CREATE TYPE "QuotaRequestStatus" AS ENUM ('OPEN', 'APPROVED', 'DECLINED');

CREATE TABLE account (
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  tier "Tier" NOT NULL DEFAULT 'FREE',
  embed_domains TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  plays_early BOOLEAN NOT NULL DEFAULT true,
  downloads BOOLEAN NOT NULL DEFAULT false,
  picture_quality TEXT NOT NULL DEFAULT 'standard',
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  requires_second_factor BOOLEAN NOT NULL DEFAULT false,
  -- At which thresholds it is notified.
  alert_quota_percents INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
  alert_spend_micro BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
  alert_storage_percents INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
  alert_storage_bytes BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
  alert_recipients TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  -- Staff and the operator suspend accounts and people, and take videos down, each for a reason that the people
  -- concerned read.
  suspended_at TIMESTAMPTZ(3),
  suspension_reason TEXT,
  -- When its owner deleted it: keys and members are gone, a job removes the rest.
  deleted_at TIMESTAMPTZ(3),
  CONSTRAINT account_picture_quality CHECK (picture_quality ~ '^(economy|standard|high|\d\d(\.\d)?/\d\d(\.\d)?)$'),
  CONSTRAINT account_pkey PRIMARY KEY (id)
);
CREATE INDEX account_suspended_at_idx ON account (suspended_at) WHERE suspended_at IS NOT NULL;
CREATE INDEX account_deleted_at_idx ON account (deleted_at) WHERE deleted_at IS NOT NULL;

-- People, and how they prove who they are.
CREATE TABLE app_user (
  id TEXT NOT NULL,
  email TEXT NOT NULL,
  -- Who only ever signs in through a provider has no password.
  password_hash TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  totp_secret BYTEA,
  totp_confirmed_at TIMESTAMPTZ(3),
  totp_last_step INTEGER,
  recovery_codes BYTEA[] NOT NULL DEFAULT ARRAY[]::BYTEA[],
  -- When a mailed link or a provider first showed that the user receives mail at the address; NULL when neither has.
  email_verified_at TIMESTAMPTZ(3),
  suspended_at TIMESTAMPTZ(3),
  suspension_reason TEXT,
  dismissed_announcements TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  CONSTRAINT app_user_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX app_user_email_key ON app_user (email);

CREATE TABLE membership (
  account_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  role "Role" NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_seen_at TIMESTAMPTZ(3),
  -- Each member puts the first steps away for themselves, in each account.
  first_steps_done_at TIMESTAMPTZ(3),
  CONSTRAINT membership_pkey PRIMARY KEY (account_id, user_id),
  CONSTRAINT membership_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT membership_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX membership_user_id_idx ON membership (user_id);

CREATE TABLE api_key (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  environment "KeyEnvironment" NOT NULL,
  prefix TEXT NOT NULL,
  hash BYTEA NOT NULL,
  scopes TEXT[] NOT NULL,
  daily_quota INTEGER,
  request_count BIGINT NOT NULL DEFAULT 0,
  last_used_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  created_by_id TEXT,
  revoked_at TIMESTAMPTZ(3),
  last_address TEXT,
  last_user_agent TEXT,
  -- A key may end at a set time, be put to rest and woken again, and work from some addresses alone (empty: from any).
  expires_at TIMESTAMPTZ(3),
  disabled_at TIMESTAMPTZ(3),
  allowed_ips TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  -- The key's own row says that its account is suspended, because a grant is ordered against whatever stops the key by
  -- that row (server/modules/access/quotas/daily-quota.ts): a grant that waited for the row sees the suspension it waited for.
  suspended BOOLEAN NOT NULL DEFAULT false,
  -- Keys that replace each other by rotation share one daily count and one spending cap: the id of the first of them.
  quota_group TEXT,
  CONSTRAINT api_key_pkey PRIMARY KEY (id),
  CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX api_key_hash_key ON api_key (hash);
CREATE INDEX api_key_account_id_created_at_idx ON api_key (account_id, created_at);
-- Support staff search by it.
CREATE INDEX api_key_prefix_idx ON api_key (prefix text_pattern_ops);
CREATE INDEX api_key_quota_group_idx ON api_key (quota_group);

CREATE TABLE key_day (
  key_id TEXT NOT NULL,
  day DATE NOT NULL,
  issued INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0,
  cost BIGINT NOT NULL DEFAULT 0,
  exhausted BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT key_day_pkey PRIMARY KEY (key_id, day),
  CONSTRAINT key_day_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX key_day_day_idx ON key_day (day);

CREATE TABLE video (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT,
  -- What plays. Until its first media is complete, that one.
  media_id TEXT,
  -- Of that media: routines/copy_media_state.sql copies them.
  status "VideoStatus" NOT NULL DEFAULT 'PENDING',
  duration_sec INTEGER NOT NULL DEFAULT 0,
  target_quality TEXT NOT NULL DEFAULT '',
  qualities TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  encrypted BOOLEAN NOT NULL DEFAULT true,
  playable_at TIMESTAMPTZ(3),
  completed_at TIMESTAMPTZ(3),
  -- A retry from the dashboard is a new fact with events of its own; a worker that takes over is not.
  retries INTEGER NOT NULL DEFAULT 0,
  picture_quality TEXT,
  caption_bytes BIGINT NOT NULL DEFAULT 0,
  poster_bytes BIGINT NOT NULL DEFAULT 0,
  poster TEXT,
  poster_uploaded TEXT,
  metadata JSONB NOT NULL DEFAULT '{}',
  external_id TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deleted_at TIMESTAMPTZ(3),
  taken_down_at TIMESTAMPTZ(3),
  takedown_reason TEXT,
  -- Since when the video waits to be re-encoded; null while it does not.
  reencode_requested_at TIMESTAMPTZ(3),
  CONSTRAINT video_picture_quality CHECK (picture_quality ~ '^(economy|standard|high|\d\d(\.\d)?/\d\d(\.\d)?)$'),
  CONSTRAINT video_pkey PRIMARY KEY (id),
  CONSTRAINT video_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX video_media_id_key ON video (media_id);
-- The newest videos, of all accounts.
CREATE INDEX video_completed_at_idx ON video (completed_at DESC) WHERE status = 'COMPLETED';
CREATE INDEX video_reencode_requested_at_idx ON video (reencode_requested_at) WHERE reencode_requested_at IS NOT NULL;
-- A deleted video gives its external id free.
CREATE UNIQUE INDEX video_external_id_key ON video (account_id, external_id)
  WHERE external_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX video_account_id_created_at_id_idx ON video (account_id, created_at DESC, id);
-- Of videos that are not deleted: the overview counts its entries without reading the rows.
CREATE INDEX video_account_id_status_created_at_id_idx ON video (account_id, status, created_at DESC, id)
  WHERE deleted_at IS NULL;
CREATE INDEX video_account_id_duration_sec_id_idx ON video (account_id, duration_sec DESC, id);
-- The dashboard's list by title, as `alphabetical` in server/platform/database/text-sql.ts orders it. The index of parts of titles
-- needs extensions: server/platform/database/text-indexes.ts makes it where they are.
CREATE INDEX video_account_id_title_order_idx ON video (account_id, lower(title COLLATE reelgate), id);
-- Deleted videos are few: their own filter and the purge read an index of theirs alone.
CREATE INDEX video_deleted_account_id_created_at_id_idx ON video (account_id, created_at DESC, id)
  WHERE deleted_at IS NOT NULL;
CREATE INDEX video_deleted_at_idx ON video (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX video_unfinished_idx ON video (created_at)
  WHERE status IN ('PENDING', 'PROCESSING') AND deleted_at IS NULL;
CREATE INDEX video_taken_down_at_idx ON video (taken_down_at) WHERE taken_down_at IS NOT NULL;

-- One encoding of one source of a video. Its original, segments and pictures are stored under its id.
CREATE TABLE media (
  id TEXT NOT NULL,
  video_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  status "VideoStatus" NOT NULL DEFAULT 'PENDING',
  failure_reason TEXT,
  progress INTEGER NOT NULL DEFAULT 0,
  eta_sec INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  duration_sec INTEGER NOT NULL DEFAULT 0,
  target_quality TEXT NOT NULL,
  qualities TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  rate_factors JSONB,
  av1_rate_factors JSONB,
  -- x264's preset of all its H.264 renditions; before they are encoded, the wanted one. Null: another encoder, a copy of
  -- the source, or not encoded yet.
  h264_preset TEXT,
  encrypted BOOLEAN NOT NULL DEFAULT true,
  content_key BYTEA,
  source_key TEXT NOT NULL,
  source_bytes BIGINT NOT NULL,
  source_name TEXT NOT NULL,
  source_hash BYTEA,
  rendition_bytes BIGINT NOT NULL DEFAULT 0,
  picture_bytes BIGINT NOT NULL DEFAULT 0,
  poster TEXT,
  poster_candidates TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  storyboard JSONB,
  chapters JSONB,
  damage JSONB,
  closed_captions TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  -- Whether it encodes the original of the media that plays again, and not another file.
  reencodes BOOLEAN NOT NULL DEFAULT false,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  started_at TIMESTAMPTZ(3),
  playable_at TIMESTAMPTZ(3),
  completed_at TIMESTAMPTZ(3),
  -- Of former media: until when playback sessions may need it; null while it plays, or is to.
  kept_until TIMESTAMPTZ(3),
  -- Whether viewers watched for long enough that AV1, or the slower preset of H.264, is due, or that encoding it has begun.
  av1_state TEXT,
  slower_state TEXT,
  CONSTRAINT media_av1_state CHECK (av1_state IN ('due', 'begun')),
  CONSTRAINT media_slower_state CHECK (slower_state IN ('due', 'begun')),
  CONSTRAINT media_h264_preset CHECK (h264_preset IN ('veryfast', 'faster', 'fast', 'medium', 'slow')),
  CONSTRAINT media_pkey PRIMARY KEY (id),
  CONSTRAINT media_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX media_video_id_idx ON media (video_id);
CREATE INDEX media_account_id_idx ON media (account_id);
CREATE INDEX media_kept_until_idx ON media (kept_until) WHERE kept_until IS NOT NULL;
CREATE INDEX media_av1_due_idx ON media (id) WHERE av1_state = 'due';
CREATE INDEX media_slower_due_idx ON media (id) WHERE slower_state = 'due';
-- Both rows of a new video are inserted in one transaction.
ALTER TABLE video ADD CONSTRAINT video_media_id_fkey FOREIGN KEY (media_id) REFERENCES media (id)
  ON UPDATE CASCADE DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE collection (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT collection_pkey PRIMARY KEY (id),
  CONSTRAINT collection_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
-- As `folded` in server/platform/database/text-sql.ts, by bytes: another version of ICU orders letters in another way.
CREATE UNIQUE INDEX collection_account_id_folded_name_key
  ON collection (account_id, (upper(lower(name COLLATE reelgate)) COLLATE "C"));

-- A file of a video that was requested as a download.
CREATE TABLE video_download (
  video_id TEXT NOT NULL,
  -- 'original', or the quality of a rendition.
  file TEXT NOT NULL,
  -- The MP4 of a rendition in the storage: the id of the media it was made from, its name and size; null while there is none.
  media_id TEXT,
  name TEXT,
  bytes BIGINT,
  -- The MP4 for which a job has taken room, or which is larger than the account may store; null while there is none.
  pending_name TEXT,
  pending_bytes BIGINT,
  -- When it was last certain that a job is to prepare it; null while none is.
  preparing_at TIMESTAMPTZ(3),
  -- Attempts in a row that failed, and when the last permitted one did.
  failures INTEGER NOT NULL DEFAULT 0,
  failed_at TIMESTAMPTZ(3),
  requested_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Responses that began with the first byte.
  downloads BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT video_download_pkey PRIMARY KEY (video_id, file),
  CONSTRAINT video_download_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX video_download_requested_at_idx ON video_download (requested_at) WHERE name IS NOT NULL;

CREATE TABLE collection_video (
  collection_id TEXT NOT NULL,
  video_id TEXT NOT NULL,
  video_created_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT collection_video_pkey PRIMARY KEY (collection_id, video_id),
  CONSTRAINT collection_video_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collection (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT collection_video_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX collection_video_collection_id_video_created_at_video_id_idx
  ON collection_video (collection_id, video_created_at DESC, video_id);
CREATE INDEX collection_video_video_id_idx ON collection_video (video_id);

-- A link with which anyone can watch one video until it expires. The token in it is stored as its SHA-256.
CREATE TABLE share_link (
  id TEXT NOT NULL,
  video_id TEXT NOT NULL,
  token_hash BYTEA NOT NULL,
  name TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  max_views INTEGER,
  views INTEGER NOT NULL DEFAULT 0,
  last_viewed_at TIMESTAMPTZ(3),
  unfurls BOOLEAN NOT NULL,
  revoked_at TIMESTAMPTZ(3),
  CONSTRAINT share_link_pkey PRIMARY KEY (id),
  CONSTRAINT share_link_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT share_link_views_check CHECK (views <= max_views)
);
CREATE UNIQUE INDEX share_link_token_hash_key ON share_link (token_hash);
CREATE INDEX share_link_video_id_created_at_idx ON share_link (video_id, created_at DESC);
-- Ended links are deleted.
CREATE INDEX share_link_ended_idx ON share_link (LEAST(expires_at, revoked_at));

-- Tokens of share links that were exchanged, until they expire. No foreign key, as for playback_session.
CREATE TABLE link_exchange (
  token_id TEXT NOT NULL,
  exchange_id TEXT,
  at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  CONSTRAINT link_exchange_pkey PRIMARY KEY (token_id)
);
CREATE INDEX link_exchange_at_idx ON link_exchange (at);

-- A named filter of the list of videos: of one member, or of all when user_id is null.
CREATE TABLE saved_filter (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  user_id TEXT,
  name TEXT NOT NULL,
  query TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT saved_filter_pkey PRIMARY KEY (id),
  CONSTRAINT saved_filter_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT saved_filter_account_id_user_id_fkey FOREIGN KEY (account_id, user_id)
    REFERENCES membership (account_id, user_id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX saved_filter_account_id_user_id_folded_name_key
  ON saved_filter (account_id, COALESCE(user_id, ''), (upper(lower(name COLLATE reelgate)) COLLATE "C"));
CREATE INDEX saved_filter_account_id_user_id_idx ON saved_filter (account_id, user_id);

-- An action on many videos, which a worker applies to one after the other; an account has one at a time.
CREATE TABLE bulk_action (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  email TEXT NOT NULL,
  request_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  collection_id TEXT,
  from_id TEXT,
  undo_of TEXT,
  total INTEGER NOT NULL,
  done INTEGER NOT NULL DEFAULT 0,
  skipped INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  finished_at TIMESTAMPTZ(3),
  stopped TEXT,
  CONSTRAINT bulk_action_pkey PRIMARY KEY (id),
  CONSTRAINT bulk_action_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX bulk_action_account_id_created_at_idx ON bulk_action (account_id, created_at DESC);
CREATE UNIQUE INDEX bulk_action_running_key ON bulk_action (account_id) WHERE finished_at IS NULL;

CREATE TABLE bulk_item (
  action_id TEXT NOT NULL,
  video_id TEXT NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  CONSTRAINT bulk_item_pkey PRIMARY KEY (action_id, video_id),
  CONSTRAINT bulk_item_action_id_fkey FOREIGN KEY (action_id) REFERENCES bulk_action (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);

-- Metadata of all videos by name and value, in the order of lists: an index on the JSON has no order, and would sort
-- all videos with a frequent value for each page.
CREATE TABLE video_metadata (
  video_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  pair UUID NOT NULL,
  video_created_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT video_metadata_pkey PRIMARY KEY (video_id, pair),
  CONSTRAINT video_metadata_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX video_metadata_account_id_pair_video_created_at_video_id_idx
  ON video_metadata (account_id, pair, video_created_at DESC, video_id);

CREATE TABLE caption (
  video_id TEXT NOT NULL,
  language TEXT NOT NULL,
  label TEXT NOT NULL,
  name TEXT NOT NULL,
  cues INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  -- Whether it was found in the source, which may be replaced; false: its owner uploaded it.
  from_source BOOLEAN NOT NULL DEFAULT false,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT caption_pkey PRIMARY KEY (video_id, language),
  CONSTRAINT caption_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE video_log (
  id BIGSERIAL NOT NULL,
  video_id TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  step TEXT NOT NULL,
  message TEXT NOT NULL,
  CONSTRAINT video_log_pkey PRIMARY KEY (id),
  CONSTRAINT video_log_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX video_log_video_id_id_idx ON video_log (video_id, id);
CREATE INDEX video_log_failed_idx ON video_log (at) WHERE step = 'fail';

CREATE TABLE rendition (
  media_id TEXT NOT NULL,
  codec TEXT NOT NULL DEFAULT 'h264',
  quality TEXT NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  bandwidth INTEGER NOT NULL,
  average_bandwidth INTEGER NOT NULL,
  codecs TEXT NOT NULL,
  frame_rate DOUBLE PRECISION NOT NULL,
  bytes BIGINT NOT NULL,
  segments JSONB NOT NULL,
  -- The initialization section of fragmented MP4; null: its segments are MPEG-TS.
  init BYTEA,
  CONSTRAINT rendition_codec CHECK (codec IN ('h264', 'av1')),
  CONSTRAINT rendition_pkey PRIMARY KEY (media_id, codec, quality),
  CONSTRAINT rendition_media_id_fkey FOREIGN KEY (media_id) REFERENCES media (id) ON DELETE CASCADE ON UPDATE CASCADE
);
-- The rows hold playlists' indexes of segments, which the sums of bytes need not read.
CREATE INDEX rendition_bytes_idx ON rendition (media_id) INCLUDE (codec, quality, bytes);

CREATE TABLE audio_rendition (
  media_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  language TEXT,
  name TEXT NOT NULL,
  is_default BOOLEAN NOT NULL,
  channels INTEGER NOT NULL,
  bandwidth INTEGER NOT NULL,
  average_bandwidth INTEGER NOT NULL,
  codecs TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  segments JSONB NOT NULL,
  CONSTRAINT audio_rendition_pkey PRIMARY KEY (media_id, position),
  CONSTRAINT audio_rendition_media_id_fkey FOREIGN KEY (media_id) REFERENCES media (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX audio_rendition_bytes_idx ON audio_rendition (media_id) INCLUDE (bytes);

CREATE TABLE iframe_rendition (
  media_id TEXT NOT NULL,
  quality TEXT NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  bandwidth INTEGER NOT NULL,
  average_bandwidth INTEGER NOT NULL,
  codecs TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  segments JSONB NOT NULL,
  CONSTRAINT iframe_rendition_pkey PRIMARY KEY (media_id, quality),
  CONSTRAINT iframe_rendition_media_id_fkey FOREIGN KEY (media_id) REFERENCES media (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX iframe_rendition_bytes_idx ON iframe_rendition (media_id) INCLUDE (bytes);

-- What was watched, by video and day, in a partition for each month (prisma/routines/make_partitions.sql).
CREATE TABLE view_day (
  video_id TEXT NOT NULL,
  -- Of the video.
  account_id TEXT NOT NULL,
  day DATE NOT NULL,
  plays INTEGER NOT NULL DEFAULT 0,
  watch_ms BIGINT NOT NULL DEFAULT 0,
  rebuffer_ms BIGINT NOT NULL DEFAULT 0,
  rebuffers INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  startup INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
  retention INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
  CONSTRAINT view_day_pkey PRIMARY KEY (video_id, day),
  CONSTRAINT view_day_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id) ON DELETE CASCADE ON UPDATE CASCADE
) PARTITION BY RANGE (day);
CREATE INDEX view_day_account_id_day_idx ON view_day (account_id, day);
-- What was watched lately, of all accounts. No other index has a column that changes: updates stay in their page.
CREATE INDEX view_day_day_idx ON view_day (day);
CREATE TABLE view_day_default PARTITION OF view_day DEFAULT;

-- Who watched: plays and watch time of a video and day by one dimension, such as the country. No two dimensions
-- are combined, so that no combination singles out a viewer.
CREATE TABLE viewer_day (
  video_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  day DATE NOT NULL,
  dimension TEXT NOT NULL,
  value TEXT NOT NULL,
  plays INTEGER NOT NULL DEFAULT 0,
  watch_ms BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT viewer_day_pkey PRIMARY KEY (video_id, day, dimension, value),
  CONSTRAINT viewer_day_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id) ON DELETE CASCADE ON UPDATE CASCADE
) PARTITION BY RANGE (day);
CREATE TABLE viewer_day_default PARTITION OF viewer_day DEFAULT;

-- The same for all videos of an account, deleted ones included.
CREATE TABLE account_viewer_day (
  account_id TEXT NOT NULL,
  day DATE NOT NULL,
  dimension TEXT NOT NULL,
  value TEXT NOT NULL,
  plays INTEGER NOT NULL DEFAULT 0,
  watch_ms BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT account_viewer_day_pkey PRIMARY KEY (account_id, day, dimension, value),
  CONSTRAINT account_viewer_day_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
) PARTITION BY RANGE (day);
CREATE TABLE account_viewer_day_default PARTITION OF account_viewer_day DEFAULT;

-- Bytes that were delivered, by stream: the quality of a rendition, `audio-<position>`, `iframes-<quality>`, or empty where
-- it is unknown. `saved` is what H.264 would have taken in addition, by the stored bytes at that time.
CREATE TABLE delivered_day (
  video_id TEXT NOT NULL,
  day DATE NOT NULL,
  codec TEXT NOT NULL,
  stream TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  saved BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT delivered_day_pkey PRIMARY KEY (video_id, day, codec, stream),
  CONSTRAINT delivered_day_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id) ON DELETE CASCADE ON UPDATE CASCADE
) PARTITION BY RANGE (day);
CREATE TABLE delivered_day_default PARTITION OF delivered_day DEFAULT;

-- The same for all videos of an account, deleted ones included.
CREATE TABLE account_delivered_day (
  account_id TEXT NOT NULL,
  day DATE NOT NULL,
  codec TEXT NOT NULL,
  stream TEXT NOT NULL,
  bytes BIGINT NOT NULL,
  saved BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT account_delivered_day_pkey PRIMARY KEY (account_id, day, codec, stream),
  CONSTRAINT account_delivered_day_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
) PARTITION BY RANGE (day);
CREATE TABLE account_delivered_day_default PARTITION OF account_delivered_day DEFAULT;

-- Bytes that each account stores, recorded once a UTC day. `renditions`: [{"codec", "rendition", "bytes"}, …].
CREATE TABLE account_stored_day (
  account_id TEXT NOT NULL,
  day DATE NOT NULL,
  original_bytes BIGINT NOT NULL,
  other_bytes BIGINT NOT NULL,
  renditions JSONB NOT NULL,
  CONSTRAINT account_stored_day_pkey PRIMARY KEY (account_id, day),
  CONSTRAINT account_stored_day_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
) PARTITION BY RANGE (day);
CREATE TABLE account_stored_day_default PARTITION OF account_stored_day DEFAULT;

-- Viewings that were counted as a play, and written batches of counts: each counts once. Unlogged, because only a
-- report that is repeated right after a crash would count again. Rows are kept for a day.
CREATE UNLOGGED TABLE viewing_start (
  id TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  CONSTRAINT viewing_start_pkey PRIMARY KEY (id)
);
CREATE INDEX viewing_start_at_idx ON viewing_start (at);

CREATE TABLE token_idempotency (
  key_id TEXT NOT NULL,
  request_hash BYTEA NOT NULL,
  video_id TEXT NOT NULL,
  policy_hash BYTEA NOT NULL,
  jti TEXT NOT NULL,
  issued_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT token_idempotency_pkey PRIMARY KEY (key_id, request_hash)
);
CREATE INDEX token_idempotency_issued_at_idx ON token_idempotency (issued_at);

-- Append-only, by triggers.
CREATE TABLE audit_entry (
  id BIGSERIAL NOT NULL,
  -- NULL for a change of the installation by its operators.
  account_id TEXT,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  before JSONB,
  after JSONB,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  actor_email TEXT,
  CONSTRAINT audit_entry_pkey PRIMARY KEY (id),
  CONSTRAINT audit_entry_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX audit_entry_account_id_id_idx ON audit_entry (account_id, id DESC);
CREATE INDEX audit_entry_account_id_actor_id_idx ON audit_entry (account_id, actor, id DESC);
CREATE INDEX audit_entry_account_id_action_id_idx ON audit_entry (account_id, action, id DESC);

-- Uploads that were begun and are not videos yet: one row each, so that an account's can be counted.
CREATE TABLE upload (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Which folder an upload's bytes are in: machines may share one, or have one each. Null: they are in the object store.
  folder TEXT,
  -- Bytes announced when the upload began; for one that did not say, the largest file accepted.
  bytes BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT upload_pkey PRIMARY KEY (id),
  CONSTRAINT upload_bytes_check CHECK (bytes >= 0),
  CONSTRAINT upload_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX upload_account_id_idx ON upload (account_id);
-- Those of the API that wait have announced no bytes.
CREATE INDEX upload_folder_idx ON upload (folder) WHERE bytes > 0;

-- Uploads that the API created, for clients without a key, and imports that members started. While one is open it has a row of the same id in upload.
CREATE TABLE direct_upload (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  -- The key that created it, or the member who started the import in the dashboard.
  key_id TEXT,
  user_id TEXT,
  -- SHA-256 of key id and Idempotency-Key, for 24 hours, and of the request that it identifies.
  idempotency_hash BYTEA,
  request_hash BYTEA,
  -- Of the future video.
  fields JSONB NOT NULL,
  max_bytes BIGINT NOT NULL,
  -- Null: no browser may use it.
  allowed_origin TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  state TEXT NOT NULL DEFAULT 'open',
  ended_at TIMESTAMPTZ(3),
  received_bytes BIGINT,
  -- The future video; it exists once the upload is completed.
  video_id TEXT NOT NULL,
  failure_code TEXT,
  failure_reason TEXT,
  -- Scheme, host and path of an import, and whether its URL also had a query, which is not kept.
  imported_from TEXT,
  has_query BOOLEAN NOT NULL DEFAULT false,
  CONSTRAINT direct_upload_pkey PRIMARY KEY (id),
  CONSTRAINT direct_upload_creator_check CHECK (num_nonnulls(key_id, user_id) = 1),
  CONSTRAINT direct_upload_state_check CHECK (state IN ('open', 'completed', 'expired', 'failed')),
  CONSTRAINT direct_upload_ended_check CHECK ((state = 'open') = (ended_at IS NULL)),
  CONSTRAINT direct_upload_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX direct_upload_idempotency_hash_key ON direct_upload (idempotency_hash) WHERE idempotency_hash IS NOT NULL;
CREATE INDEX direct_upload_account_id_video_id_idx ON direct_upload (account_id, video_id);
CREATE INDEX direct_upload_open_idx ON direct_upload (expires_at) WHERE state = 'open';
CREATE INDEX direct_upload_ended_idx ON direct_upload (ended_at) WHERE state <> 'open';
-- Open ones are listed by their rows in upload, so that this index costs their creation nothing.
CREATE INDEX direct_upload_list_idx ON direct_upload (account_id, state, created_at DESC, id) WHERE state <> 'open';

-- What an open upload of the API is imported from.
CREATE TABLE upload_import (
  id TEXT NOT NULL,
  -- Sealed: it may carry a signature.
  url BYTEA NOT NULL,
  -- Of the bytes received so far: ETag or Last-Modified of the source.
  validator TEXT,
  -- Lease of the run that may write, and its end unless the run renews it or another one begins.
  lease_id UUID,
  leased_until TIMESTAMPTZ(3),
  -- Runs without progress, and the most bytes that any had received.
  attempts INTEGER NOT NULL DEFAULT 0,
  progress BIGINT NOT NULL DEFAULT 0,
  -- Of the last run that failed and is followed by another one, and when that one begins; null once it has begun.
  failure_code TEXT,
  failure_reason TEXT,
  failed_at TIMESTAMPTZ(3),
  retry_at TIMESTAMPTZ(3),
  CONSTRAINT upload_import_pkey PRIMARY KEY (id),
  CONSTRAINT upload_import_id_fkey FOREIGN KEY (id) REFERENCES direct_upload (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX upload_import_lease_id_idx ON upload_import (lease_id);

-- Uploads whose bytes are in the object store.
CREATE TABLE multipart_upload (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  -- The store's name of the multipart upload, which becomes the original of the future video.
  store_id TEXT NOT NULL,
  size BIGINT,
  metadata JSONB NOT NULL,
  next_part INTEGER NOT NULL DEFAULT 1,
  next_piece INTEGER NOT NULL DEFAULT 1000001,
  changed_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- The request that may write now, and until when unless it renews.
  lease_id UUID,
  leased_until TIMESTAMPTZ(3),
  CONSTRAINT multipart_upload_pkey PRIMARY KEY (id),
  CONSTRAINT multipart_upload_size_check CHECK (size >= 0),
  CONSTRAINT multipart_upload_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX multipart_upload_account_id_idx ON multipart_upload (account_id);
CREATE INDEX multipart_upload_lease_id_idx ON multipart_upload (lease_id);

CREATE TABLE multipart_part (
  upload_id TEXT NOT NULL,
  -- Above a million: too few bytes for a part of the store; they are an object of their own.
  number INTEGER NOT NULL,
  bytes BIGINT NOT NULL,
  etag TEXT,
  CONSTRAINT multipart_part_pkey PRIMARY KEY (upload_id, number),
  CONSTRAINT multipart_part_etag_check CHECK ((etag IS NULL) = (number > 1000000)),
  CONSTRAINT multipart_part_bytes_check CHECK (bytes > 0),
  CONSTRAINT multipart_part_upload_id_fkey FOREIGN KEY (upload_id) REFERENCES multipart_upload (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);

-- Where people are signed in.
CREATE TABLE user_session (
  id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  account_id TEXT,
  method TEXT NOT NULL,
  mfa_pending BOOLEAN NOT NULL DEFAULT false,
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  link_provider TEXT,
  link_expires_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  last_seen_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT user_session_pkey PRIMARY KEY (id),
  CONSTRAINT user_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT user_session_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE SET NULL ON UPDATE CASCADE
);
CREATE INDEX user_session_user_id_created_at_idx ON user_session (user_id, created_at DESC);
CREATE INDEX user_session_expires_at_idx ON user_session (expires_at);

CREATE TABLE user_identity (
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  user_id TEXT NOT NULL,
  provider TEXT NOT NULL,
  email TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT user_identity_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT user_identity_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX user_identity_user_id_idx ON user_identity (user_id);

-- Single-use links for the owner of an email address. Only a hash of the link's secret is stored.
CREATE TABLE email_link (
  hash BYTEA NOT NULL,
  purpose TEXT NOT NULL,
  email TEXT NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  by_mail BOOLEAN NOT NULL DEFAULT true,
  CONSTRAINT email_link_purpose_check CHECK (purpose IN ('sign-up', 'password-reset')),
  CONSTRAINT email_link_pkey PRIMARY KEY (hash)
);
CREATE INDEX email_link_email_idx ON email_link (email);

-- Who is asked to join a team.
CREATE TABLE invitation (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  email TEXT NOT NULL,
  role "Role" NOT NULL,
  token_hash BYTEA NOT NULL,
  invited_by_email TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  -- When it was used or withdrawn: it works once, or no more.
  ended_at TIMESTAMPTZ(3),
  -- Whether the link went by mail alone. One that a person was shown proves nothing about an address.
  by_mail BOOLEAN NOT NULL DEFAULT false,
  -- Times that the letter was offered to the mail server; mailed_at is when the server took it.
  mail_attempts INTEGER NOT NULL DEFAULT 0,
  mailed_at TIMESTAMPTZ(3),
  CONSTRAINT invitation_pkey PRIMARY KEY (id),
  CONSTRAINT invitation_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX invitation_token_hash_key ON invitation (token_hash);
CREATE INDEX invitation_account_id_created_at_idx ON invitation (account_id, created_at DESC);
-- Ended invitations are deleted.
CREATE INDEX invitation_ended_idx ON invitation (LEAST(expires_at, ended_at));
-- One open invitation for a person and account; the index decides between two at once.
CREATE UNIQUE INDEX invitation_open_key ON invitation (account_id, email) WHERE ended_at IS NULL;

-- Traffic: counters by hour and by day, and the log of the last 7 days of calls. In partitions for a month, or of the log
-- for a day, which are dropped as a whole (prisma/routines/make_partitions.sql). The default partitions take rows for
-- which there is no partition yet.
CREATE TABLE traffic_hour (
  account_id TEXT NOT NULL,
  hour TIMESTAMPTZ(3) NOT NULL,
  key_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  status INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL DEFAULT 0,
  latency INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
  CONSTRAINT traffic_hour_pkey PRIMARY KEY (account_id, hour, key_id, operation, status),
  CONSTRAINT traffic_hour_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
) PARTITION BY RANGE (hour);
CREATE TABLE traffic_hour_default PARTITION OF traffic_hour DEFAULT;

CREATE TABLE traffic_day (
  account_id TEXT NOT NULL,
  day DATE NOT NULL,
  key_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  status INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  tokens INTEGER NOT NULL DEFAULT 0,
  latency INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
  CONSTRAINT traffic_day_pkey PRIMARY KEY (account_id, day, key_id, operation, status),
  CONSTRAINT traffic_day_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
) PARTITION BY RANGE (day);
CREATE TABLE traffic_day_default PARTITION OF traffic_day DEFAULT;

CREATE TABLE request_log (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  key_id TEXT,
  method TEXT NOT NULL,
  operation TEXT,
  path TEXT NOT NULL,
  query TEXT NOT NULL,
  status INTEGER NOT NULL,
  code TEXT,
  details JSONB,
  checks TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  address TEXT,
  user_agent TEXT,
  duration_ms DOUBLE PRECISION NOT NULL,
  response_headers JSONB NOT NULL,
  token_id TEXT,
  weight DOUBLE PRECISION NOT NULL DEFAULT 1,
  -- What an error said where that is not the code's usual sentence.
  message TEXT,
  -- Request headers that say something about a call: accept, content-type, if-none-match, origin, and whether it was
  -- idempotent.
  request_headers JSONB NOT NULL DEFAULT '{}',
  -- Bodies of a call with a test key, for a day.
  bodies JSONB,
  video_id TEXT,
  -- The address, where it is one.
  network INET,
  CONSTRAINT request_log_pkey PRIMARY KEY (id, at),
  CONSTRAINT request_log_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
) PARTITION BY RANGE (at);
CREATE TABLE request_log_default PARTITION OF request_log DEFAULT;
CREATE INDEX request_log_account_id_at_id_idx ON request_log (account_id, at DESC, id DESC);
CREATE INDEX request_log_key_id_at_id_idx ON request_log (key_id, at DESC, id DESC);
CREATE INDEX request_log_token_id_idx ON request_log (token_id);
CREATE INDEX request_log_account_id_video_id_at_id_idx ON request_log (account_id, video_id, at DESC, id DESC);
CREATE INDEX request_log_account_id_network_at_id_idx ON request_log (account_id, network, at DESC, id DESC);
-- What people look for most is rare among what there is; Prisma's schema cannot say this.
CREATE INDEX request_log_refused_idx ON request_log (account_id, at DESC, id DESC) WHERE status >= 400;
-- Parts of these texts, within an account. A PostgreSQL without these extensions still searches, without an index.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE EXTENSION IF NOT EXISTS btree_gin;
  CREATE INDEX request_log_text_trgm_idx ON request_log
    USING gin (account_id, path gin_trgm_ops, address gin_trgm_ops, user_agent gin_trgm_ops);
EXCEPTION WHEN feature_not_supported OR undefined_file OR undefined_object OR insufficient_privilege THEN
  RAISE WARNING 'The request log is searched without an index: %', SQLERRM;
END $$;

-- Wallets and the books; amounts are micro-credits throughout. None of these tables refers to account or api_key: the
-- books outlive both.
CREATE TABLE wallet (
  account_id TEXT NOT NULL,
  balance BIGINT NOT NULL DEFAULT 0,
  posted BIGINT NOT NULL DEFAULT 0,
  entries INTEGER NOT NULL DEFAULT 0,
  head BYTEA NOT NULL DEFAULT '\x0000000000000000000000000000000000000000000000000000000000000000',
  low_balance_threshold BIGINT,
  month_cap BIGINT,
  month DATE NOT NULL DEFAULT '1970-01-01',
  month_spent BIGINT NOT NULL DEFAULT 0,
  closed_until TIMESTAMPTZ(3) NOT NULL DEFAULT '1970-01-01T00:00:00Z',
  updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  -- Free tokens of the account in its last UTC day with any. In the wallet, so that one lock orders all that a grant
  -- takes of an account.
  free_day DATE NOT NULL DEFAULT '1970-01-01',
  free_issued BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT wallet_pkey PRIMARY KEY (account_id),
  CONSTRAINT wallet_never_negative CHECK (balance >= 0 AND posted >= balance),
  CONSTRAINT wallet_limits CHECK (low_balance_threshold > 0 AND month_cap >= 0)
);

CREATE TABLE key_cap (
  key_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  month_cap BIGINT NOT NULL,
  month DATE NOT NULL,
  month_spent BIGINT NOT NULL,
  CONSTRAINT key_cap_pkey PRIMARY KEY (key_id)
);
CREATE INDEX key_cap_account_id_idx ON key_cap (account_id);

CREATE TABLE charge_hour (
  key_id TEXT NOT NULL,
  hour TIMESTAMPTZ(3) NOT NULL,
  account_id TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  cost BIGINT NOT NULL,
  entry INTEGER,
  CONSTRAINT charge_hour_pkey PRIMARY KEY (key_id, hour)
);
CREATE INDEX charge_hour_account_id_hour_idx ON charge_hour (account_id, hour);
-- What is still to be written into the ledger: never more than a few rows an account.
CREATE INDEX charge_hour_open ON charge_hour (account_id, hour) WHERE entry IS NULL;

CREATE TABLE ledger_entry (
  account_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  debit TEXT NOT NULL,
  credit TEXT NOT NULL,
  amount BIGINT NOT NULL,
  balance_after BIGINT NOT NULL,
  key_id TEXT,
  hour TIMESTAMPTZ(3),
  tokens INTEGER,
  reference TEXT,
  reason TEXT,
  actor TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  previous BYTEA NOT NULL,
  hash BYTEA NOT NULL,
  CONSTRAINT ledger_entry_pkey PRIMARY KEY (account_id, seq),
  CONSTRAINT ledger_entry_moves CHECK (amount > 0 AND balance_after >= 0 AND debit <> credit
    AND 'wallet' IN (debit, credit))
);
CREATE UNIQUE INDEX ledger_entry_account_id_reference_key ON ledger_entry (account_id, reference);
-- A balance at a moment is read from the ledger, not added up from its beginning.
CREATE INDEX ledger_entry_account_id_at_idx ON ledger_entry (account_id, at);
CREATE INDEX ledger_entry_not_usage_idx ON ledger_entry (account_id, seq DESC) WHERE kind <> 'usage';

-- Payments outlive their account, as the ledger does.
CREATE TABLE payment (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  session_id TEXT,
  payment_intent TEXT,
  credits BIGINT NOT NULL,
  amount INTEGER NOT NULL,
  currency TEXT NOT NULL,
  refunded INTEGER NOT NULL DEFAULT 0,
  created_by TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  paid_at TIMESTAMPTZ(3),
  -- What disputes and failed refunds moved of it: the money that is away, and the micro-credits that were really taken
  -- back.
  disputed INTEGER NOT NULL DEFAULT 0,
  refund_taken BIGINT NOT NULL DEFAULT 0,
  dispute_taken BIGINT NOT NULL DEFAULT 0,
  refund_event_at TIMESTAMPTZ(3),
  CONSTRAINT payment_pkey PRIMARY KEY (id),
  CONSTRAINT payment_amounts CHECK (credits > 0 AND amount > 0 AND refunded BETWEEN 0 AND amount),
  CONSTRAINT payment_taken_back CHECK (disputed >= 0 AND refund_taken >= 0 AND dispute_taken >= 0)
);
CREATE UNIQUE INDEX payment_session_id_key ON payment (session_id);
CREATE UNIQUE INDEX payment_payment_intent_key ON payment (payment_intent);
CREATE INDEX payment_account_id_created_at_idx ON payment (account_id, created_at DESC);

CREATE TABLE payment_event (
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  received_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT payment_event_pkey PRIMARY KEY (id)
);

CREATE TABLE quota_request (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  requested_quota INTEGER NOT NULL,
  reason TEXT NOT NULL,
  status "QuotaRequestStatus" NOT NULL DEFAULT 'OPEN',
  approved_quota INTEGER,
  resolution_note TEXT,
  requested_by TEXT NOT NULL,
  resolved_by TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  resolved_at TIMESTAMPTZ(3),
  CONSTRAINT quota_request_pkey PRIMARY KEY (id),
  CONSTRAINT quota_request_quotas_check CHECK (requested_quota > 0 AND approved_quota > 0),
  CONSTRAINT quota_request_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT quota_request_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX quota_request_account_id_created_at_idx ON quota_request (account_id, created_at DESC);
CREATE INDEX quota_request_status_created_at_idx ON quota_request (status, created_at);
-- One open request for each key.
CREATE UNIQUE INDEX quota_request_open ON quota_request (key_id) WHERE status = 'OPEN';

-- Alerts that an account was sent; the key keeps an alert from being sent twice. Those of thresholds are removed when
-- the threshold is no longer reached, so that it is armed again.
CREATE TABLE alert_notice (
  account_id TEXT NOT NULL,
  dedupe_key TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  CONSTRAINT alert_notice_pkey PRIMARY KEY (account_id, dedupe_key),
  CONSTRAINT alert_notice_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);

-- Webhooks: events with the payload of the time when they happened, the endpoints that are subscribed to them, and
-- the deliveries.
CREATE TABLE webhook_event (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  type TEXT NOT NULL,
  dedupe_key TEXT,
  sample BOOLEAN NOT NULL DEFAULT false,
  payload TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  seq BIGSERIAL NOT NULL,
  tx BIGINT NOT NULL DEFAULT (pg_current_xact_id()::text)::bigint,
  traceparent TEXT DEFAULT NULLIF(current_setting('reelgate.traceparent', true), ''),
  CONSTRAINT webhook_event_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_event_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX webhook_event_account_id_type_dedupe_key_key ON webhook_event (account_id, type, dedupe_key);
-- For the timeline of an account, which support staff read.
CREATE INDEX webhook_event_outcome_idx ON webhook_event (account_id, seq DESC)
  WHERE type IN ('video.processing.completed', 'video.processing.failed') AND NOT sample;
CREATE INDEX webhook_event_account_id_tx_seq_idx ON webhook_event (account_id, tx, seq);
CREATE INDEX webhook_event_created_at_idx ON webhook_event (created_at);
-- Sample events are deleted earlier than others.
CREATE INDEX webhook_event_sample_idx ON webhook_event (created_at) WHERE sample;
-- The lists of the dashboard.
CREATE INDEX webhook_event_account_id_seq_idx ON webhook_event (account_id, seq);
CREATE INDEX webhook_event_account_id_created_at_idx ON webhook_event (account_id, created_at);

CREATE TABLE webhook_endpoint (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  url TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  events TEXT[] NOT NULL,
  secret BYTEA NOT NULL,
  previous_secret BYTEA,
  previous_until TIMESTAMPTZ(3),
  failing_since TIMESTAMPTZ(3),
  disabled_at TIMESTAMPTZ(3),
  disabled_reason TEXT,
  retry_schedule TEXT NOT NULL DEFAULT 'standard',
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  CONSTRAINT webhook_endpoint_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_endpoint_retry_schedule_check CHECK (retry_schedule IN ('standard', 'day', 'threeDays')),
  CONSTRAINT webhook_endpoint_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX webhook_endpoint_account_id_created_at_idx ON webhook_endpoint (account_id, created_at);

-- The state of a delivery follows from its queue row and its attempts. Its own row is written when it is created, dies
-- or is replayed: writing it for each attempt was a third of the database cost of a delivery.
CREATE TABLE webhook_delivery (
  id BIGSERIAL NOT NULL,
  account_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  replay INTEGER NOT NULL DEFAULT 0,
  failure_reason TEXT,
  changed_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_delivery_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoint (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT webhook_delivery_event_id_fkey FOREIGN KEY (event_id) REFERENCES webhook_event (id)
    ON DELETE CASCADE ON UPDATE CASCADE
) WITH (fillfactor = 90);
CREATE UNIQUE INDEX webhook_delivery_endpoint_id_event_id_key ON webhook_delivery (endpoint_id, event_id);
CREATE INDEX webhook_delivery_event_id_idx ON webhook_delivery (event_id);
CREATE INDEX webhook_delivery_endpoint_id_id_idx ON webhook_delivery (endpoint_id, id);
-- For the list of dead letters.
CREATE INDEX webhook_delivery_dead_account_idx ON webhook_delivery (account_id, changed_at DESC, id DESC) WHERE failure_reason IS NOT NULL;
CREATE INDEX webhook_delivery_dead_idx ON webhook_delivery (endpoint_id, id) WHERE failure_reason IS NOT NULL;

-- No foreign key: it would look up the delivery's row again for each attempt, a third of the cost of the insert. A
-- trigger deletes attempts with their deliveries.
CREATE TABLE webhook_attempt (
  id BIGSERIAL NOT NULL,
  delivery_id BIGINT NOT NULL,
  replay INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL,
  duration_ms INTEGER NOT NULL,
  signature TEXT NOT NULL,
  status INTEGER,
  headers TEXT,
  body TEXT,
  error TEXT,
  next_at TIMESTAMPTZ(3),
  CONSTRAINT webhook_attempt_pkey PRIMARY KEY (delivery_id, id)
);

-- Pending deliveries, in a small table of their own: a delivery's row is in several indexes, and each lease and attempt
-- would write all of them. Names the event, so that a lease need not read the delivery.
CREATE TABLE webhook_queue (
  delivery_id BIGINT NOT NULL,
  account_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  due_at TIMESTAMPTZ(3) NOT NULL,
  attempt_count INTEGER NOT NULL DEFAULT 0,
  event_id TEXT NOT NULL,
  -- Distinguishes the row from a later one of the same delivery.
  replay INTEGER NOT NULL DEFAULT 0,
  CONSTRAINT webhook_queue_pkey PRIMARY KEY (delivery_id),
  CONSTRAINT webhook_queue_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_delivery (id)
    ON DELETE CASCADE ON UPDATE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, fillfactor = 90);
CREATE INDEX webhook_queue_endpoint_id_due_at_delivery_id_idx ON webhook_queue (endpoint_id, due_at, delivery_id);

-- Support staff: who is, who was, and what they looked at.
CREATE TABLE staff_grant (
  id BIGSERIAL NOT NULL,
  user_id TEXT NOT NULL,
  role TEXT NOT NULL DEFAULT 'support',
  granted_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  revoked_at TIMESTAMPTZ(3),
  CONSTRAINT staff_grant_pkey PRIMARY KEY (id),
  CONSTRAINT staff_grant_role_check CHECK (role IN ('support', 'operator')),
  CONSTRAINT staff_grant_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX staff_grant_user_id_idx ON staff_grant (user_id);
CREATE UNIQUE INDEX staff_grant_open_key ON staff_grant (user_id) WHERE revoked_at IS NULL;

CREATE TABLE support_view (
  user_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  page TEXT NOT NULL,
  hour TIMESTAMPTZ(3) NOT NULL,
  -- What of a part of an account was looked at: a video, a call, an endpoint, a delivery; empty for the part itself.
  subject TEXT NOT NULL DEFAULT '',
  CONSTRAINT support_view_pkey PRIMARY KEY (account_id, user_id, page, subject, hour),
  CONSTRAINT support_view_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);

-- A time in which a session of support staff shows the dashboard as an owner sees it.
CREATE TABLE owner_view (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  -- The session may end first; then a job ends the view.
  session_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  email TEXT NOT NULL,
  reason TEXT NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  expires_at TIMESTAMPTZ(3) NOT NULL,
  ended_at TIMESTAMPTZ(3),
  -- The grant under which it was opened.
  grant_id BIGINT,
  CONSTRAINT owner_view_pkey PRIMARY KEY (id),
  CONSTRAINT owner_view_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX owner_view_account_id_idx ON owner_view (account_id);
CREATE UNIQUE INDEX owner_view_open_key ON owner_view (session_id) WHERE ended_at IS NULL;

-- Notes of support staff, which members do not see.
CREATE TABLE account_note (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  author_id TEXT NOT NULL,
  author_email TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  edited_at TIMESTAMPTZ(3),
  CONSTRAINT account_note_pkey PRIMARY KEY (id),
  CONSTRAINT account_note_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX account_note_account_id_created_at_id_idx ON account_note (account_id, created_at DESC, id DESC);

-- Messages that the dashboards of all accounts show.
CREATE TABLE announcement (
  id TEXT NOT NULL,
  level TEXT NOT NULL,
  message TEXT NOT NULL,
  starts_at TIMESTAMPTZ(3) NOT NULL,
  ends_at TIMESTAMPTZ(3),
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  CONSTRAINT announcement_pkey PRIMARY KEY (id),
  CONSTRAINT announcement_level_check CHECK (level IN ('info', 'warning', 'critical')),
  CONSTRAINT announcement_times_check CHECK (ends_at >= starts_at)
);
CREATE INDEX announcement_created_at_id_idx ON announcement (created_at DESC, id);

-- What support staff sort accounts by, summed up for each (server/modules/backoffice/support/refresh-account-activity.ts).
CREATE TABLE account_activity (
  account_id TEXT NOT NULL,
  requests_1 BIGINT NOT NULL,
  requests_7 BIGINT NOT NULL,
  requests_30 BIGINT NOT NULL,
  issued_1 BIGINT NOT NULL,
  issued_7 BIGINT NOT NULL,
  issued_30 BIGINT NOT NULL,
  refused_1 BIGINT NOT NULL,
  refused_7 BIGINT NOT NULL,
  refused_30 BIGINT NOT NULL,
  failed_1 BIGINT NOT NULL,
  failed_7 BIGINT NOT NULL,
  failed_30 BIGINT NOT NULL,
  stored BIGINT NOT NULL,
  CONSTRAINT account_activity_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_activity_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);

-- Leases of dispatchers: one row for hundreds of deliveries. Ids are random, because the counter of an unlogged table
-- restarts after a crash and would return ids that dispatchers still hold.
CREATE UNLOGGED TABLE webhook_lease (
  lease_id UUID NOT NULL DEFAULT gen_random_uuid(),
  account_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  delivery_ids BIGINT[] NOT NULL DEFAULT ARRAY[]::BIGINT[],
  leased_until TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT webhook_lease_pkey PRIMARY KEY (lease_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
-- At most `webhook_lease_limit()` of them: compressing them would cost more than their space.
ALTER TABLE webhook_lease ALTER COLUMN delivery_ids SET STORAGE PLAIN;
CREATE INDEX webhook_lease_endpoint_id_idx ON webhook_lease (endpoint_id);

-- Bounds of one account that support raised or lowered; without a row the installation's setting holds.
CREATE TABLE account_limit (
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  value BIGINT NOT NULL,
  reason TEXT NOT NULL,
  set_by TEXT NOT NULL,
  set_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  CONSTRAINT account_limit_pkey PRIMARY KEY (account_id, name),
  CONSTRAINT account_limit_value_check CHECK (value >= 0),
  CONSTRAINT account_limit_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);

-- What each account stores, counted in the transactions that change it (prisma/routines/count_*.sql). Rows are only
-- added, so that counting never waits for another transaction; a trigger and a job fold them. No foreign key: the videos
-- of an account that is deleted are still counted off while it goes.
CREATE TABLE storage_count (
  id BIGINT GENERATED ALWAYS AS IDENTITY,
  account_id TEXT NOT NULL,
  videos INTEGER NOT NULL DEFAULT 0,
  original_bytes BIGINT NOT NULL DEFAULT 0,
  rendition_bytes BIGINT NOT NULL DEFAULT 0,
  uploads INTEGER NOT NULL DEFAULT 0,
  unfinished_bytes BIGINT NOT NULL DEFAULT 0,
  metadata_bytes BIGINT NOT NULL DEFAULT 0,
  event_bytes BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT storage_count_pkey PRIMARY KEY (id)
);
CREATE INDEX storage_count_account_id_idx ON storage_count (account_id);

-- Number of refusals of one kind that a user had within an hour: the audit log gets one entry at the first and one at
-- the end of the hour, so that an attacker cannot make it grow. See server/modules/audit/security-counters.ts.
CREATE TABLE security_count (
  user_id TEXT NOT NULL,
  event TEXT NOT NULL,
  hour TIMESTAMPTZ(3) NOT NULL,
  count INTEGER NOT NULL,
  -- How many of them the first entry stated.
  audited_count INTEGER NOT NULL,
  address TEXT NOT NULL,
  CONSTRAINT security_count_pkey PRIMARY KEY (user_id, event, hour),
  CONSTRAINT security_count_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX security_count_hour_idx ON security_count (hour);

-- Letters to people about their own security. Kept for a day after they are sent, because a mailbox gets a bounded
-- number a day.
CREATE TABLE security_notice (
  id BIGINT GENERATED BY DEFAULT AS IDENTITY,
  user_id TEXT NOT NULL,
  event TEXT NOT NULL,
  at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  address TEXT,
  user_agent TEXT,
  attempts INTEGER,
  sent_at TIMESTAMPTZ(3),
  CONSTRAINT security_notice_pkey PRIMARY KEY (id),
  CONSTRAINT security_notice_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX security_notice_user_id_at_idx ON security_notice (user_id, at DESC);
CREATE INDEX security_notice_unsent_idx ON security_notice (id) WHERE sent_at IS NULL;

-- Limits on attempts that all processes share. `available_at` is when the whole allowance is available again; each
-- attempt moves it later. Rows in the past are deleted by a job. See server/modules/identity/sign-in/verify-second-factor.ts.
CREATE TABLE shared_limit (
  name TEXT NOT NULL,
  available_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT shared_limit_pkey PRIMARY KEY (name)
);
CREATE INDEX shared_limit_available_at_idx ON shared_limit (available_at);

-- What one member of staff proposed and another one must approve.
CREATE TABLE support_approval (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  credits BIGINT NOT NULL,
  reason TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'PENDING',
  proposed_by TEXT NOT NULL,
  proposed_email TEXT NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  expires_at TIMESTAMPTZ(3) NOT NULL,
  resolved_by TEXT,
  resolved_at TIMESTAMPTZ(3),
  decline_reason TEXT,
  -- A proposed change of a quota, a limit or the tier; null: of the balance, by `credits`, which is 0 for any other.
  change JSONB,
  CONSTRAINT support_approval_pkey PRIMARY KEY (id),
  CONSTRAINT support_approval_status_check CHECK (status IN ('PENDING', 'APPROVED', 'DECLINED')),
  CONSTRAINT support_approval_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX support_approval_account_id_created_at_idx ON support_approval (account_id, created_at DESC);
CREATE INDEX support_approval_status_created_at_idx ON support_approval (status, created_at);

-- Ends of playback: sessions of a subject (a video, an API key's tokens, one token) that are older than its number are
-- refused.
CREATE TABLE playback_end (
  subject TEXT NOT NULL,
  account_id TEXT NOT NULL,
  number BIGINT NOT NULL,
  ended_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  expires_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT playback_end_pkey PRIMARY KEY (subject),
  CONSTRAINT playback_end_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX playback_end_expires_at_idx ON playback_end (expires_at);
CREATE INDEX playback_end_account_id_idx ON playback_end (account_id);

-- Playback sessions that used a key URL before it expired, and may use it until they end. No foreign key: a check of
-- one would write to the row of a much watched video at each new session; ended sessions are deleted.
CREATE TABLE playback_session (
  id TEXT NOT NULL,
  video_id TEXT NOT NULL,
  began_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  expires_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT playback_session_pkey PRIMARY KEY (id)
);
CREATE INDEX playback_session_expires_at_idx ON playback_session (expires_at);

-- Playback sessions with activity in the last 15 minutes. Unlogged, since activity within a minute restores the rows
-- after a crash. No foreign keys, for the same reason as above. An update changes no indexed column, and the free space
-- keeps the new row in its page.
CREATE UNLOGGED TABLE live_session (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  video_id TEXT NOT NULL,
  -- The first activity since the row was last deleted.
  began_at TIMESTAMPTZ(3) NOT NULL,
  seen_at TIMESTAMPTZ(3) NOT NULL,
  -- Whether the player reports viewings.
  reports BOOLEAN NOT NULL DEFAULT false,
  -- Height of the picture in pixels, as last reported.
  height INTEGER,
  CONSTRAINT live_session_pkey PRIMARY KEY (id)
) WITH (fillfactor = 70);
CREATE INDEX live_session_account_id_video_id_idx ON live_session (account_id, video_id);

-- The transcode queue: one row for the media that waits or is being transcoded.
CREATE TABLE transcode_queue (
  media_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  queued_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  traceparent TEXT DEFAULT NULLIF(current_setting('reelgate.traceparent', true), ''),
  -- The codec in which complete media gets further renditions; null: its tasks make the media itself.
  codec TEXT,
  plan JSONB,
  CONSTRAINT transcode_queue_codec CHECK (codec = 'av1'),
  CONSTRAINT transcode_queue_pkey PRIMARY KEY (media_id),
  CONSTRAINT transcode_queue_media_id_fkey FOREIGN KEY (media_id) REFERENCES media (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT transcode_queue_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX transcode_queue_account_id_queued_at_media_id_idx ON transcode_queue (account_id, queued_at, media_id);

-- Parts of transcoding, each done by one worker: the plan, then chunks of the picture and tracks of sound, then what
-- joins them.
CREATE TABLE transcode_task (
  media_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  position INTEGER NOT NULL,
  weight INTEGER NOT NULL DEFAULT 1,
  due_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  -- Lease of the worker that may write, and its end unless the worker renews it. A finished task keeps the number.
  lease_id UUID,
  leased_until TIMESTAMPTZ(3),
  failures INTEGER NOT NULL DEFAULT 0,
  losses INTEGER NOT NULL DEFAULT 0,
  returns INTEGER NOT NULL DEFAULT 0,
  storage_faults INTEGER NOT NULL DEFAULT 0,
  worker TEXT,
  started_at TIMESTAMPTZ(3),
  progress DOUBLE PRECISION NOT NULL DEFAULT 0,
  progress_at TIMESTAMPTZ(3),
  cause TEXT,
  done_at TIMESTAMPTZ(3),
  result JSONB,
  CONSTRAINT transcode_task_pkey PRIMARY KEY (media_id, kind, position),
  CONSTRAINT transcode_task_kind CHECK (kind IN ('plan', 'copy', 'quality', 'video', 'audio', 'finish')),
  CONSTRAINT transcode_task_media_id_fkey FOREIGN KEY (media_id) REFERENCES transcode_queue (media_id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
-- A chunk that is done is never looked for again.
CREATE INDEX transcode_task_open_idx ON transcode_task (media_id, kind, position) WHERE done_at IS NULL;
-- Idle workers ask often what is due, and each lease asks first which worker was lost.
CREATE INDEX transcode_task_due_idx ON transcode_task (kind, due_at) WHERE done_at IS NULL AND leased_until IS NULL;
CREATE INDEX transcode_task_leased_idx ON transcode_task (leased_until, kind) WHERE leased_until IS NOT NULL;
CREATE INDEX transcode_task_lease_id_idx ON transcode_task (lease_id);

CREATE TABLE transcode_estimate (
  media_id TEXT NOT NULL,
  queued_at TIMESTAMPTZ(3) NOT NULL,
  begun_at TIMESTAMPTZ(3) NOT NULL,
  planned_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  duration_sec DOUBLE PRECISION NOT NULL,
  pixels DOUBLE PRECISION NOT NULL,
  start_sec DOUBLE PRECISION,
  first_at TIMESTAMPTZ(3),
  first_sec DOUBLE PRECISION,
  completed_at TIMESTAMPTZ(3),
  worker_sec DOUBLE PRECISION,
  finish_sec DOUBLE PRECISION,
  CONSTRAINT transcode_estimate_pkey PRIMARY KEY (media_id),
  CONSTRAINT transcode_estimate_media_id_fkey FOREIGN KEY (media_id) REFERENCES media (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX transcode_estimate_completed_at_idx ON transcode_estimate (completed_at);
CREATE INDEX transcode_estimate_planned_at_idx ON transcode_estimate (planned_at);

-- How many turns an account has had in each lane of a worker, on the scale of the clock below: `turn` is that of the
-- picture, the others are those of sound and of last steps. Without a row: none.
CREATE TABLE transcode_turn (
  account_id TEXT NOT NULL,
  turn BIGINT NOT NULL DEFAULT 0,
  sound_turn BIGINT NOT NULL DEFAULT 0,
  last_turn BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT transcode_turn_pkey PRIMARY KEY (account_id),
  CONSTRAINT transcode_turn_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);

-- The turn that was begun last. An account that had no videos for a while joins here: turns that it did not use are not
-- saved up.
CREATE TABLE transcode_clock (
  id INTEGER NOT NULL DEFAULT 1,
  turn BIGINT NOT NULL DEFAULT 0,
  sound_turn BIGINT NOT NULL DEFAULT 0,
  last_turn BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT transcode_clock_pkey PRIMARY KEY (id),
  CONSTRAINT transcode_clock_one_row CHECK (id = 1)
);
INSERT INTO transcode_clock DEFAULT VALUES;

-- Signing keys of receipts. Public parts are published for ever; a private part is destroyed once its successor signs.
CREATE TABLE receipt_key (
  kid TEXT NOT NULL,
  -- Address of the installation (BASE_URL) under which it signs.
  issuer TEXT NOT NULL,
  -- Ed25519 public key, base64url.
  public_key TEXT NOT NULL,
  -- PKCS #8, sealed under the master key; null once destroyed.
  private_key BYTEA,
  created_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  signs_from TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT receipt_key_pkey PRIMARY KEY (kid)
);

-- Processes that run. A row is written before a process takes requests, renewed while it lives, and removed when it
-- ends or falls silent.
CREATE TABLE process (
  id TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  roles TEXT[] NOT NULL,
  version TEXT NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_clock(),
  heartbeat_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_clock(),
  -- Why its worker takes no videos; NULL while it does.
  fault TEXT,
  storage TEXT NOT NULL DEFAULT '',
  move_applied TEXT NOT NULL DEFAULT '',
  CONSTRAINT process_pkey PRIMARY KEY (id)
);

-- A key that stopped working by a change of its row: revoked, disabled, or rotated without an overlap.
CREATE TABLE key_stop (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- Read from the clock while the key's row was locked: no token was issued with the key later.
  at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT key_stop_pkey PRIMARY KEY (id),
  CONSTRAINT key_stop_kind_check CHECK (kind IN ('key.revocation', 'key.disabled')),
  CONSTRAINT key_stop_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT key_stop_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX key_stop_key_id_at_idx ON key_stop (key_id, at DESC);
CREATE INDEX key_stop_account_id_at_id_idx ON key_stop (account_id, at DESC, id);

-- What each process that took requests at that moment says of it. Facts of the process are copied: its own row goes
-- when it ends.
CREATE TABLE key_stop_process (
  stop_id TEXT NOT NULL,
  process_id TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  version TEXT NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL,
  -- When it last renewed its row, as known here.
  last_seen_at TIMESTAMPTZ(3) NOT NULL,
  -- When it found, asking as for a request, that it refuses the key; null while it has not said so.
  refused_at TIMESTAMPTZ(3),
  -- The last request with the key that it let through; null when there was none since it started.
  last_accepted_at TIMESTAMPTZ(3),
  -- It was stopped in order before it had said so.
  ended_at TIMESTAMPTZ(3),
  CONSTRAINT key_stop_process_pkey PRIMARY KEY (stop_id, process_id),
  CONSTRAINT key_stop_process_stop_id_fkey FOREIGN KEY (stop_id) REFERENCES key_stop (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX key_stop_process_waiting_idx ON key_stop_process (process_id)
  WHERE (refused_at IS NULL) AND (ended_at IS NULL);

-- What was deleted for good. Bound to no other row: it outlives the video, and the account.
CREATE TABLE deletion (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- Id of the video, media or account.
  subject TEXT NOT NULL,
  -- Ids of the media that is removed with it.
  media_ids TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  -- For the list in the dashboard; not signed, and forgotten with the account.
  title TEXT,
  -- When its owner deleted it.
  deleted_at TIMESTAMPTZ(3) NOT NULL,
  -- When its rows went.
  purged_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_clock(),
  -- Rows that went, by table.
  rows JSONB NOT NULL,
  -- Of a video: objects and bytes found in storage before the first removal, by kind.
  stored JSONB,
  -- When the storage was searched again and held nothing of it.
  verified_at TIMESTAMPTZ(3),
  -- When the removal of a video's media is due: later than now while a worker removes it, or after a failure.
  due_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_clock(),
  failures INTEGER NOT NULL DEFAULT 0,
  -- The signed receipt; null until all of the above is known.
  jws TEXT,
  CONSTRAINT deletion_pkey PRIMARY KEY (id),
  CONSTRAINT deletion_kind_check CHECK (kind IN ('video.deletion', 'media.deletion', 'account.deletion'))
);
CREATE UNIQUE INDEX deletion_kind_subject_key ON deletion (kind, subject);
CREATE INDEX deletion_account_id_purged_at_id_idx ON deletion (account_id, purged_at DESC, id);
-- The media that is still to be removed.
CREATE INDEX deletion_unverified_idx ON deletion (due_at) WHERE kind <> 'account.deletion' AND verified_at IS NULL;

-- The audit log as a chain of hashes for each account, as the ledger is. Entries keep their row; the links of the chain
-- are rows of their own, in commit order.
CREATE TABLE audit_chain (
  account_id TEXT NOT NULL,
  entries BIGINT NOT NULL DEFAULT 0,
  head BYTEA NOT NULL DEFAULT '\x0000000000000000000000000000000000000000000000000000000000000000',
  bytes BIGINT NOT NULL DEFAULT 0,
  day DATE,
  day_bytes BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT audit_chain_pkey PRIMARY KEY (account_id),
  CONSTRAINT audit_chain_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE audit_link (
  account_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  entry_id BIGINT NOT NULL,
  hash BYTEA NOT NULL,
  CONSTRAINT audit_link_pkey PRIMARY KEY (account_id, seq),
  CONSTRAINT audit_link_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX audit_link_entry_id_key ON audit_link (entry_id);

-- The SHA-256 of each file of prisma/routines as it was applied, and the version of Reelgate that applied it
-- (server/platform/database/routines.ts).
CREATE TABLE routine_checksum (
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  version TEXT NOT NULL DEFAULT '0.0.0',
  CONSTRAINT routine_checksum_pkey PRIMARY KEY (name)
);

-- What the installation has one of, in one row.
CREATE TABLE installation (
  singleton BOOLEAN NOT NULL DEFAULT true CHECK (singleton),
  -- The media storage has it as well, in the object `installation` (server/platform/storage/claim-storage.ts). NULL before
  -- the first start.
  id TEXT,
  -- When the media storage received the id; NULL before.
  claimed_at TIMESTAMPTZ(3),
  -- HMACs under the first key of each ring, by which a process with other secrets is refused
  -- (server/platform/config/secret-fingerprints.ts).
  root_fingerprint TEXT,
  master_fingerprint TEXT,
  token_fingerprint TEXT,
  -- Added to the transaction's number in positions of the event stream: a restored database numbers from the beginning.
  event_position_offset BIGINT NOT NULL DEFAULT 0,
  -- The number of the last end of playback. The row's lock makes ends commit in the order of their numbers, which a
  -- sequence would not.
  last_playback_end BIGINT NOT NULL DEFAULT 0,
  -- When account_activity was computed.
  activity_refreshed_at TIMESTAMPTZ(3),
  -- Position of the scheduled scrub, and how much media is due (server/modules/media/scheduled-scrub.ts).
  scrub_after TEXT NOT NULL DEFAULT '',
  scrub_due DOUBLE PRECISION NOT NULL DEFAULT 0,
  CONSTRAINT installation_pkey PRIMARY KEY (singleton)
);
INSERT INTO installation DEFAULT VALUES;

-- Backups that were begun. The place of a backup has all that is needed to restore it; these rows are for the console.
CREATE TABLE backup (
  id TEXT NOT NULL,
  -- Folder or bucket, without credentials.
  place TEXT NOT NULL,
  started_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_clock(),
  snapshot_at TIMESTAMPTZ(3),
  -- When it was whole in its place; NULL before, and when it failed.
  finished_at TIMESTAMPTZ(3),
  failed_at TIMESTAMPTZ(3),
  -- In words for the operator.
  failure TEXT,
  rows BIGINT,
  database_bytes BIGINT,
  objects BIGINT,
  media_bytes BIGINT,
  copied_bytes BIGINT,
  -- How often a worker began to restore it for proof.
  drills INTEGER NOT NULL DEFAULT 0,
  -- When it was removed from its place for later ones.
  removed_at TIMESTAMPTZ(3),
  CONSTRAINT backup_pkey PRIMARY KEY (id)
);
CREATE INDEX backup_started_at_idx ON backup (started_at DESC);

-- Restore drills and their signed receipts. See server/modules/backups/prove.ts.
CREATE TABLE backup_drill (
  -- Of the receipt.
  id TEXT NOT NULL,
  -- No foreign key: a backup may have been made before this database was restored from it.
  backup_id TEXT NOT NULL,
  -- Of the backup.
  snapshot_at TIMESTAMPTZ(3),
  at TIMESTAMPTZ(3) NOT NULL DEFAULT service_clock(),
  passed BOOLEAN NOT NULL,
  faults JSONB NOT NULL,
  figures JSONB NOT NULL,
  jws TEXT NOT NULL,
  CONSTRAINT backup_drill_pkey PRIMARY KEY (id)
);
CREATE INDEX backup_drill_backup_id_at_idx ON backup_drill (backup_id, at DESC);

-- Values of /metrics that describe the installation, as the last process read them (server/platform/observe/metric-readings.ts).
CREATE UNLOGGED TABLE metric_reading (
  name TEXT NOT NULL,
  claimed_at TIMESTAMPTZ(3) NOT NULL,
  -- Whether a process reads it now.
  taking BOOLEAN NOT NULL,
  samples JSONB,
  read_at TIMESTAMPTZ(3),
  CONSTRAINT metric_reading_pkey PRIMARY KEY (name)
);

-- Stored objects that are missing or whose content changed, until they are repaired.
CREATE TABLE media_fault (
  key TEXT NOT NULL,
  media_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('changed', 'missing')),
  -- When a worker may begin a repair; NULL: never, unless an operator requests it.
  due_at TIMESTAMPTZ(3),
  -- Lease of the worker that repairs its media, and its end unless the worker renews it.
  lease_id UUID,
  leased_until TIMESTAMPTZ(3),
  attempts INTEGER NOT NULL DEFAULT 0,
  failure TEXT,
  CONSTRAINT media_fault_pkey PRIMARY KEY (key),
  CONSTRAINT media_fault_media_id_fkey FOREIGN KEY (media_id) REFERENCES media (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX media_fault_media_id_idx ON media_fault (media_id);
CREATE INDEX media_fault_lease_id_idx ON media_fault (lease_id);

-- A move of the media to another storage. At most one row.
CREATE TABLE media_move (
  singleton BOOLEAN NOT NULL DEFAULT true CHECK (singleton),
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('reading', 'writing', 'copied')),
  after TEXT NOT NULL DEFAULT '',
  objects BIGINT NOT NULL DEFAULT 0,
  bytes BIGINT NOT NULL DEFAULT 0,
  started_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_clock(),
  CONSTRAINT media_move_pkey PRIMARY KEY (singleton)
);
