-- The last event that said that the viewer opened too many sessions.
ALTER TABLE viewer ADD COLUMN exceeded_at TIMESTAMPTZ(3);

-- The highest percentage of which an event could tell.
ALTER TABLE viewer_progress ADD COLUMN reached_percent SMALLINT NOT NULL DEFAULT 0;

-- The viewer that an event is about, whose ID is not in its payload.
ALTER TABLE webhook_event ADD COLUMN viewer_id TEXT CONSTRAINT webhook_event_viewer_id_fkey
  REFERENCES viewer (id) ON DELETE SET NULL ON UPDATE CASCADE;
