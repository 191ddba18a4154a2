-- Viewers are named by an HMAC of the account and the customer's own ID, which is stored once, sealed. The tables begin
-- empty: no release has had them, and rows that hold IDs in plain text cannot be converted in SQL.
DROP TABLE viewer_progress, viewer_session, viewer;

-- Computes those HMACs. Sealed; created with the first viewer.
ALTER TABLE installation ADD COLUMN viewer_key BYTEA;

CREATE TABLE viewer (
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  own_id BYTEA NOT NULL,
  first_seen_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  last_seen_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  CONSTRAINT viewer_pkey PRIMARY KEY (id),
  CONSTRAINT viewer_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX viewer_account_id_last_seen_at_id_idx ON viewer (account_id, last_seen_at DESC, id);

CREATE TABLE viewer_session (
  token_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  viewer_id TEXT NOT NULL,
  video_id TEXT NOT NULL,
  began_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  seen_at TIMESTAMPTZ(3) DEFAULT service_now(),
  opened_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  expires_at TIMESTAMPTZ(3) NOT NULL,
  claimed_sec DOUBLE PRECISION NOT NULL DEFAULT 0,
  CONSTRAINT viewer_session_pkey PRIMARY KEY (token_id),
  CONSTRAINT viewer_session_viewer_id_fkey FOREIGN KEY (viewer_id) REFERENCES viewer (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT viewer_session_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX viewer_session_viewer_id_idx ON viewer_session (viewer_id);
CREATE INDEX viewer_session_video_id_idx ON viewer_session (video_id);
CREATE INDEX viewer_session_expires_at_idx ON viewer_session (expires_at);

CREATE TABLE viewer_progress (
  account_id TEXT NOT NULL,
  viewer_id TEXT NOT NULL,
  video_id TEXT NOT NULL,
  seconds BIT VARYING NOT NULL,
  watched_sec INTEGER NOT NULL,
  duration_sec INTEGER NOT NULL,
  position_sec DOUBLE PRECISION NOT NULL,
  first_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  last_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  completed_at TIMESTAMPTZ(3),
  CONSTRAINT viewer_progress_pkey PRIMARY KEY (viewer_id, video_id),
  CONSTRAINT viewer_progress_viewer_id_fkey FOREIGN KEY (viewer_id) REFERENCES viewer (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT viewer_progress_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX viewer_progress_viewer_id_last_at_video_id_idx
  ON viewer_progress (viewer_id, last_at DESC, video_id);
CREATE INDEX viewer_progress_video_id_last_at_viewer_id_idx ON viewer_progress (video_id, last_at DESC, viewer_id);
