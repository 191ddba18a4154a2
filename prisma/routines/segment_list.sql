-- Every list of stored segments: those of renditions by their quality, after the codec where it is a further one, those
-- of tracks of sound as `audio-<position>`, those of key frames alone as `iframes-<quality>`.
CREATE OR REPLACE VIEW segment_list AS
SELECT media_id, CASE codec WHEN 'h264' THEN quality ELSE codec || '-' || quality END AS stream, segments FROM rendition
UNION ALL
SELECT media_id, 'audio-' || position AS stream, segments FROM audio_rendition
UNION ALL
SELECT media_id, 'iframes-' || quality AS stream, segments FROM iframe_rendition;
