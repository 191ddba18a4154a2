-- Every 32nd row folds those of its account into one, without waiting for rows that another transaction folds. So a sum
-- reads few rows, and writers of one account never wait for each other. Sums of zero are removed.
CREATE OR REPLACE FUNCTION fold_record_counts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH mine AS MATERIALIZED (SELECT id FROM record_count WHERE account_id = NEW.account_id FOR UPDATE SKIP LOCKED),
  gone AS (
    DELETE FROM record_count WHERE id IN (SELECT id FROM mine) AND (SELECT count(*) FROM mine) > 1
    RETURNING metadata_bytes, event_bytes)
  INSERT INTO record_count (account_id, metadata_bytes, event_bytes)
    SELECT NEW.account_id, sum(metadata_bytes), sum(event_bytes) FROM gone
    HAVING sum(metadata_bytes) <> 0 OR sum(event_bytes) <> 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_counts_folded AFTER INSERT ON record_count
  FOR EACH ROW WHEN (NEW.id % 32 = 0) EXECUTE FUNCTION fold_record_counts();
