-- Tokens of share links that were exchanged, until they expire. No foreign key, as for playback_session.
CREATE TABLE link_exchange (
  token_id TEXT NOT NULL,
  exchange_id TEXT,
  at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  CONSTRAINT link_exchange_pkey PRIMARY KEY (token_id)
);
CREATE INDEX link_exchange_at_idx ON link_exchange (at);
