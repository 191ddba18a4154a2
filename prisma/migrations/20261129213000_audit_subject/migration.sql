-- Finds the changes of one object.
CREATE INDEX CONCURRENTLY audit_entry_account_id_subject_id_idx ON audit_entry (account_id, subject, id DESC);
