CREATE OR REPLACE FUNCTION sum_caption_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE video v SET caption_bytes = coalesce((SELECT sum(bytes) FROM caption_text WHERE video_id = v.id), 0)
  WHERE id IN (SELECT video_id FROM changed);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER caption_bytes_inserted AFTER INSERT ON caption REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_caption_bytes();

CREATE OR REPLACE TRIGGER caption_bytes_updated AFTER UPDATE ON caption REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_caption_bytes();

CREATE OR REPLACE TRIGGER caption_bytes_deleted AFTER DELETE ON caption REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_caption_bytes();

CREATE OR REPLACE TRIGGER caption_version_bytes_inserted AFTER INSERT ON caption_version REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_caption_bytes();

CREATE OR REPLACE TRIGGER caption_version_bytes_deleted AFTER DELETE ON caption_version REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_caption_bytes();

CREATE OR REPLACE TRIGGER caption_draft_bytes_inserted AFTER INSERT ON caption_draft REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_caption_bytes();

CREATE OR REPLACE TRIGGER caption_draft_bytes_updated AFTER UPDATE ON caption_draft REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_caption_bytes();

CREATE OR REPLACE TRIGGER caption_draft_bytes_deleted AFTER DELETE ON caption_draft REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_caption_bytes();
