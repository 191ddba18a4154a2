-- The dashboard's list by title, as `alphabetical` in server/platform/text-sql.ts orders it.
CREATE INDEX CONCURRENTLY video_account_id_title_order_idx ON video (account_id, lower(title COLLATE reelgate), id);
