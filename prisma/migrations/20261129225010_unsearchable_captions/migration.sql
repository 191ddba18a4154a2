CREATE INDEX CONCURRENTLY caption_unsearchable_idx ON caption (video_id) WHERE searchable IS DISTINCT FROM name;
