-- Captions from the speech of a video: the requests for them, the words found so far, and the seconds transcribed.
ALTER TABLE account ADD COLUMN auto_captions BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE video ADD COLUMN auto_captions BOOLEAN;
ALTER TABLE caption
  ADD COLUMN generated BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN edited BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE transcode_turn ADD COLUMN speech_turn BIGINT NOT NULL DEFAULT 0;
ALTER TABLE transcode_clock ADD COLUMN speech_turn BIGINT NOT NULL DEFAULT 0;

CREATE TABLE transcript (
  video_id TEXT NOT NULL,
  wanted TEXT NOT NULL,
  account_id TEXT NOT NULL,
  replaces BOOLEAN NOT NULL DEFAULT false,
  state TEXT NOT NULL DEFAULT 'open',
  reason TEXT,
  language TEXT,
  words JSONB,
  duration_sec DOUBLE PRECISION NOT NULL,
  speech_sec DOUBLE PRECISION,
  done_sec DOUBLE PRECISION NOT NULL DEFAULT 0,
  position INTEGER NOT NULL DEFAULT 0,
  queued_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  begun_at TIMESTAMPTZ(3),
  ended_at TIMESTAMPTZ(3),
  due_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  lease_id UUID,
  leased_until TIMESTAMPTZ(3),
  worker TEXT,
  started_at TIMESTAMPTZ(3),
  failures INTEGER NOT NULL DEFAULT 0,
  losses INTEGER NOT NULL DEFAULT 0,
  storage_faults INTEGER NOT NULL DEFAULT 0,
  cause TEXT,
  CONSTRAINT transcript_pkey PRIMARY KEY (video_id, wanted),
  CONSTRAINT transcript_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT transcript_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX transcript_lease_id_idx ON transcript (lease_id);
CREATE INDEX transcript_account_id_state_idx ON transcript (account_id, state);
CREATE INDEX transcript_open_idx ON transcript (due_at) WHERE state = 'open';

CREATE TABLE transcript_chunk (
  video_id TEXT NOT NULL,
  wanted TEXT NOT NULL,
  position INTEGER NOT NULL,
  from_sec DOUBLE PRECISION NOT NULL,
  to_sec DOUBLE PRECISION NOT NULL,
  done_at TIMESTAMPTZ(3),
  language TEXT,
  words JSONB,
  CONSTRAINT transcript_chunk_pkey PRIMARY KEY (video_id, wanted, position),
  CONSTRAINT transcript_chunk_video_id_wanted_fkey FOREIGN KEY (video_id, wanted) REFERENCES transcript (video_id, wanted)
    ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE transcribed_day (
  account_id TEXT NOT NULL,
  day DATE NOT NULL,
  seconds DOUBLE PRECISION NOT NULL,
  CONSTRAINT transcribed_day_pkey PRIMARY KEY (account_id, day),
  CONSTRAINT transcribed_day_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
