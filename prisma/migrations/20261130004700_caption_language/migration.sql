-- The language in which an upload says that its video is spoken.
ALTER TABLE video ADD COLUMN caption_language TEXT;
