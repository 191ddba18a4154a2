-- How well an account's videos played for the viewers with one value of a dimension, and how far they watched.
ALTER TABLE account_viewer_day
  ADD COLUMN rebuffer_ms BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN errors INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN startup INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
  ADD COLUMN reached INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[];
