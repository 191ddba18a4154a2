-- Every 32nd row folds those of its account into one, and passes over rows that another transaction folds. So a sum reads
-- few rows, and writers of one account never wait for each other. The rows are deleted by their addresses, which locked
-- rows keep: a join could read the rows of all accounts.
CREATE OR REPLACE FUNCTION fold_storage_counts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_rows TID[] := ARRAY(SELECT ctid FROM storage_count WHERE account_id = NEW.account_id FOR UPDATE SKIP LOCKED);
BEGIN
  IF cardinality(v_rows) < 2 THEN RETURN NULL; END IF;
  WITH gone AS (DELETE FROM storage_count WHERE ctid = ANY (v_rows) RETURNING *)
  INSERT INTO storage_count (account_id, videos, original_bytes, rendition_bytes, uploads, unfinished_bytes,
    metadata_bytes, event_bytes)
  SELECT NEW.account_id, sum(videos), sum(original_bytes), sum(rendition_bytes), sum(uploads), sum(unfinished_bytes),
    sum(metadata_bytes), sum(event_bytes)
  FROM gone;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER storage_counts_folded AFTER INSERT ON storage_count
  FOR EACH ROW WHEN (NEW.id % 32 = 0) EXECUTE FUNCTION fold_storage_counts();
