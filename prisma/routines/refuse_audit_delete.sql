-- Entries leave with their account and in no other way; those of the installation stay.
CREATE OR REPLACE FUNCTION refuse_audit_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.account_id IS NULL OR EXISTS (SELECT 1 FROM account WHERE id = OLD.account_id) THEN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
  END IF;
  RETURN OLD;
END $$;

CREATE OR REPLACE TRIGGER audit_entry_kept BEFORE DELETE ON audit_entry FOR EACH ROW
  EXECUTE FUNCTION refuse_audit_delete();

CREATE OR REPLACE TRIGGER audit_link_kept BEFORE DELETE ON audit_link FOR EACH ROW
  EXECUTE FUNCTION refuse_audit_delete();
