-- Every list of stored segments: those of renditions by their quality, those of tracks of sound as `audio-<position>`,
-- those of key frames alone as `iframes-<quality>`.
CREATE OR REPLACE VIEW segment_list AS
SELECT video_id, quality AS stream, segments FROM rendition
UNION ALL
SELECT video_id, 'audio-' || position AS stream, segments FROM audio_rendition
UNION ALL
SELECT video_id, 'iframes-' || quality AS stream, segments FROM iframe_rendition;
