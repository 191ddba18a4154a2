-- The audit log as a chain of hashes for each account, as the ledger is. Entries keep their row; the links of the chain are rows of their own, in commit order.
CREATE TABLE "audit_chain" (
    "account_id" TEXT NOT NULL,
    "entries" BIGINT NOT NULL DEFAULT 0,
    "head" BYTEA NOT NULL DEFAULT '\x0000000000000000000000000000000000000000000000000000000000000000',

    CONSTRAINT "audit_chain_pkey" PRIMARY KEY ("account_id")
);
CREATE TABLE "audit_link" (
    "account_id" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "entry_id" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_link_pkey" PRIMARY KEY ("account_id", "seq")
);
CREATE UNIQUE INDEX "audit_link_entry_id_key" ON "audit_link"("entry_id");
ALTER TABLE "audit_chain" ADD CONSTRAINT "audit_chain_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "audit_link" ADD CONSTRAINT "audit_link_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- SHA-256 over the hash before it and everything an entry says, in a fixed form. server/modules/audit/verify-chain.ts computes the same on its own.
CREATE FUNCTION audit_hash(p_previous bytea, p_seq bigint, e audit_entry) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(p_previous || convert_to(json_build_array(p_seq, e.id, e.account_id, e.actor, e.actor_email, e.action, e.subject,
    e.before::text, e.after::text, to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text, 'UTF8'))
$$;

-- Appends an entry to its account's chain. Runs at commit, after every other lock is taken, so that no two transactions wait for each other.
-- An account that was deleted in the same transaction has no chain to append to. Runs as the owner of the tables: the role of the service may write entries, and neither links nor heads.
CREATE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_chain audit_chain;
  v_hash bytea;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM account WHERE id = NEW.account_id) THEN
    RETURN NULL;
  END IF;
  INSERT INTO audit_chain (account_id) VALUES (NEW.account_id) ON CONFLICT DO NOTHING;
  SELECT * INTO STRICT v_chain FROM audit_chain WHERE account_id = NEW.account_id FOR UPDATE;
  v_hash := audit_hash(v_chain.head, v_chain.entries + 1, NEW);
  INSERT INTO audit_link (account_id, seq, entry_id, hash) VALUES (NEW.account_id, v_chain.entries + 1, NEW.id, v_hash);
  UPDATE audit_chain SET entries = v_chain.entries + 1, head = v_hash WHERE account_id = NEW.account_id;
  RETURN NULL;
END $$;

-- What is there already, in the order it was written.
DO $$
DECLARE
  v_entry audit_entry;
  v_chain audit_chain;
  v_hash bytea;
BEGIN
  FOR v_entry IN SELECT * FROM audit_entry ORDER BY account_id, id LOOP
    INSERT INTO audit_chain (account_id) VALUES (v_entry.account_id) ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT v_chain FROM audit_chain WHERE account_id = v_entry.account_id;
    v_hash := audit_hash(v_chain.head, v_chain.entries + 1, v_entry);
    INSERT INTO audit_link (account_id, seq, entry_id, hash) VALUES (v_entry.account_id, v_chain.entries + 1, v_entry.id, v_hash);
    UPDATE audit_chain SET entries = v_chain.entries + 1, head = v_hash WHERE account_id = v_entry.account_id;
  END LOOP;
END $$;

CREATE CONSTRAINT TRIGGER audit_entry_chained AFTER INSERT ON audit_entry DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();

-- Entries leave with their account and in no other way.
CREATE FUNCTION refuse_audit_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM account WHERE id = OLD.account_id) THEN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER audit_entry_kept BEFORE DELETE ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_audit_delete();
CREATE TRIGGER audit_entry_not_truncated BEFORE TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_link_append_only BEFORE UPDATE ON audit_link FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_link_kept BEFORE DELETE ON audit_link FOR EACH ROW EXECUTE FUNCTION refuse_audit_delete();
CREATE TRIGGER audit_link_not_truncated BEFORE TRUNCATE ON audit_link FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
