-- Deleted videos are few: their own filter and the purge read an index of theirs alone.
CREATE INDEX video_deleted_account_id_created_at_id_idx ON video (account_id, created_at DESC, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX video_deleted_at_idx ON video (deleted_at) WHERE deleted_at IS NOT NULL;

-- Parts of titles, within an account. A PostgreSQL without these two extensions of its own still searches, without an index.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE EXTENSION IF NOT EXISTS btree_gin;
  CREATE INDEX video_account_id_title_trgm_idx ON video USING gin (account_id, title gin_trgm_ops);
EXCEPTION WHEN feature_not_supported OR undefined_file OR insufficient_privilege THEN
  RAISE WARNING 'Titles are searched without an index: %', SQLERRM;
END $$;
