-- A transaction that changes the renditions or captions of a video holds its row.
CREATE OR REPLACE FUNCTION sum_rendition_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE media m SET rendition_bytes = coalesce((SELECT sum(bytes) FROM rendition WHERE media_id = m.id), 0)
    + coalesce((SELECT sum(bytes) FROM audio_rendition WHERE media_id = m.id), 0)
    + coalesce((SELECT sum(bytes) FROM iframe_rendition WHERE media_id = m.id), 0)
  WHERE id IN (SELECT media_id FROM changed);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER rendition_bytes_inserted AFTER INSERT ON rendition REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();

CREATE OR REPLACE TRIGGER rendition_bytes_updated AFTER UPDATE ON rendition REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();

CREATE OR REPLACE TRIGGER rendition_bytes_deleted AFTER DELETE ON rendition REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();

CREATE OR REPLACE TRIGGER audio_rendition_bytes_inserted AFTER INSERT ON audio_rendition REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();

CREATE OR REPLACE TRIGGER audio_rendition_bytes_updated AFTER UPDATE ON audio_rendition REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();

CREATE OR REPLACE TRIGGER audio_rendition_bytes_deleted AFTER DELETE ON audio_rendition REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();

CREATE OR REPLACE TRIGGER iframe_rendition_bytes_inserted AFTER INSERT ON iframe_rendition
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();

CREATE OR REPLACE TRIGGER iframe_rendition_bytes_updated AFTER UPDATE ON iframe_rendition
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();

CREATE OR REPLACE TRIGGER iframe_rendition_bytes_deleted AFTER DELETE ON iframe_rendition
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION sum_rendition_bytes();
