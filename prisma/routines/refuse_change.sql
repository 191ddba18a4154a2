-- Append-only.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;

CREATE OR REPLACE TRIGGER audit_entry_append_only
  BEFORE UPDATE ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- The ledger is append-only. A change needs these triggers dropped first, and the chain of hashes still reveals it.
CREATE OR REPLACE TRIGGER ledger_entry_append_only
  BEFORE UPDATE OR DELETE ON ledger_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE TRIGGER ledger_entry_never_emptied
  BEFORE TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- An hour that the ledger holds is over.
CREATE OR REPLACE TRIGGER charge_hour_posted
  BEFORE UPDATE OR DELETE ON charge_hour FOR EACH ROW WHEN (OLD.entry IS NOT NULL) EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE TRIGGER charge_hour_never_emptied
  BEFORE TRUNCATE ON charge_hour FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE TRIGGER audit_entry_not_truncated BEFORE TRUNCATE ON audit_entry FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE TRIGGER audit_link_append_only BEFORE UPDATE ON audit_link FOR EACH ROW
  EXECUTE FUNCTION refuse_change();

CREATE OR REPLACE TRIGGER audit_link_not_truncated BEFORE TRUNCATE ON audit_link FOR EACH STATEMENT
  EXECUTE FUNCTION refuse_change();
