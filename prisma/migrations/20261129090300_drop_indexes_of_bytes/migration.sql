-- They knew the letters of ASCII alone. Processes of the previous version sort and search without them meanwhile.
-- `server/platform/text-indexes.ts` makes the one of parts of titles where the extensions are.
DROP INDEX video_account_id_lower_title_id_idx;
DROP INDEX IF EXISTS video_account_id_title_trgm_idx;
