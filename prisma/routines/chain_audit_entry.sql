-- Appends an entry to its account's chain. Runs at commit, after every other lock is taken, so that no two transactions
-- wait for each other. The installation, and an account that was deleted in the same transaction, have no chain to append
-- to. Runs as the owner of the tables: the role of the service may write entries, and neither links nor heads. Counts the
-- entry's bytes in the same row, which it holds anyway.
CREATE OR REPLACE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp AS $$
DECLARE
  v_chain audit_chain;
  v_hash bytea;
  v_bytes bigint := audit_bytes(NEW.before, NEW.after);
  v_today date := (service_now() AT TIME ZONE 'UTC')::date;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM account WHERE id = NEW.account_id) THEN
    RETURN NULL;
  END IF;
  INSERT INTO audit_chain (account_id) VALUES (NEW.account_id) ON CONFLICT DO NOTHING;
  SELECT * INTO STRICT v_chain FROM audit_chain WHERE account_id = NEW.account_id FOR UPDATE;
  v_hash := audit_hash(v_chain.head, v_chain.entries + 1, NEW);
  INSERT INTO audit_link (account_id, seq, entry_id, hash) VALUES (NEW.account_id, v_chain.entries + 1, NEW.id, v_hash);
  UPDATE audit_chain SET entries = v_chain.entries + 1, head = v_hash, bytes = bytes + v_bytes, day = v_today,
    day_bytes = v_bytes + CASE WHEN day = v_today THEN day_bytes ELSE 0 END
  WHERE account_id = NEW.account_id;
  RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS audit_entry_chained ON audit_entry;
CREATE CONSTRAINT TRIGGER audit_entry_chained AFTER INSERT ON audit_entry DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();
