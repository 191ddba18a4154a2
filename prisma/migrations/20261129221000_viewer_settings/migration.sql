-- For how many days after their last activity an account's viewers are kept, and which percentage of a video they must
-- watch to complete it.
ALTER TABLE account
  ADD COLUMN viewer_retention_days INTEGER NOT NULL DEFAULT 400,
  ADD COLUMN completed_percent INTEGER NOT NULL DEFAULT 90;
