-- People of a customer's product, by the customer's own ID, and the sessions that hold one of their places.
CREATE TABLE viewer (
  account_id TEXT NOT NULL,
  id TEXT NOT NULL,
  first_seen_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  last_seen_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  CONSTRAINT viewer_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT viewer_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX viewer_account_id_last_seen_at_idx ON viewer (account_id, last_seen_at DESC, id);

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
  CONSTRAINT viewer_session_account_id_viewer_id_fkey FOREIGN KEY (account_id, viewer_id)
    REFERENCES viewer (account_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT viewer_session_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX viewer_session_account_id_viewer_id_idx ON viewer_session (account_id, viewer_id);
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
  CONSTRAINT viewer_progress_pkey PRIMARY KEY (account_id, viewer_id, video_id),
  CONSTRAINT viewer_progress_account_id_viewer_id_fkey FOREIGN KEY (account_id, viewer_id)
    REFERENCES viewer (account_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT viewer_progress_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX viewer_progress_account_id_viewer_id_last_at_video_id_idx
  ON viewer_progress (account_id, viewer_id, last_at DESC, video_id);
CREATE INDEX viewer_progress_video_id_last_at_viewer_id_idx ON viewer_progress (video_id, last_at DESC, viewer_id);
