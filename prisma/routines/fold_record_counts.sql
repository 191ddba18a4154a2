-- Every 32nd row folds those of its account into one, and passes over rows that another transaction folds. So a sum reads
-- few rows, and writers of one account never wait for each other. Sums of zero are removed. The rows are deleted by their
-- addresses, which locked rows keep: a join could read the rows of all accounts.
CREATE OR REPLACE FUNCTION fold_record_counts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_rows TID[];
  v_metadata BIGINT;
  v_events BIGINT;
BEGIN
  SELECT array_agg(mine.ctid), sum(metadata_bytes), sum(event_bytes) INTO v_rows, v_metadata, v_events
  FROM (SELECT ctid, metadata_bytes, event_bytes FROM record_count WHERE account_id = NEW.account_id
    FOR UPDATE SKIP LOCKED) AS mine;
  IF cardinality(v_rows) < 2 THEN RETURN NULL; END IF;
  DELETE FROM record_count WHERE ctid = ANY (v_rows);
  IF v_metadata <> 0 OR v_events <> 0 THEN
    INSERT INTO record_count (account_id, metadata_bytes, event_bytes) VALUES (NEW.account_id, v_metadata, v_events);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_counts_folded AFTER INSERT ON record_count
  FOR EACH ROW WHEN (NEW.id % 32 = 0) EXECUTE FUNCTION fold_record_counts();
