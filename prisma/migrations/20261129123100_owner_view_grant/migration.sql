-- The grant under which a view was opened; views of the previous version have none, and are over.
ALTER TABLE owner_view ADD COLUMN grant_id BIGINT;
