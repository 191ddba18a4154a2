-- Every stored text of captions, once for its video: those that play, what they replaced, and drafts.
CREATE OR REPLACE VIEW caption_text AS
SELECT video_id, name, bytes FROM caption
UNION
SELECT video_id, name, bytes FROM caption_version
UNION
SELECT video_id, name, bytes FROM caption_draft;
