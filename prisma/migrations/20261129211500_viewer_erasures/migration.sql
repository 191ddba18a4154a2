-- An erasure of a viewer is a deletion whose subject can be deleted again, once the person has come back.
LOCK TABLE deletion IN SHARE MODE;
CREATE UNIQUE INDEX deletion_kind_subject_once_key ON deletion (kind, subject) WHERE kind <> 'viewer.erasure';
CREATE INDEX deletion_subject_deleted_at_idx ON deletion (subject, deleted_at DESC);
DROP INDEX deletion_kind_subject_key;

-- Sessions whose later requests must not bring the viewer back, and when stores outside the database got the erasure.
ALTER TABLE deletion ADD COLUMN token_ids TEXT[] NOT NULL DEFAULT '{}';
ALTER TABLE deletion ADD COLUMN copied_at TIMESTAMPTZ(3);
CREATE INDEX deletion_uncopied_idx ON deletion (deleted_at) WHERE kind = 'viewer.erasure' AND copied_at IS NULL;

ALTER TABLE deletion DROP CONSTRAINT deletion_kind_check;
ALTER TABLE deletion ADD CONSTRAINT deletion_kind_check
  CHECK (kind IN ('video.deletion', 'media.deletion', 'account.deletion', 'viewer.erasure')) NOT VALID;
ALTER TABLE deletion VALIDATE CONSTRAINT deletion_kind_check;
