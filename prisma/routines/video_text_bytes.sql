-- Bytes that the texts of a video count with: each name of metadata also has a row of `video_metadata`, with 250.
CREATE OR REPLACE FUNCTION video_text_bytes(v video) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
  SELECT octet_length(v.title) + COALESCE(octet_length(v.description), 0) + COALESCE(octet_length(v.external_id), 0)
    + CASE WHEN v.metadata = '{}' THEN 0
      ELSE octet_length(v.metadata::text) + 250 * (SELECT count(*) FROM jsonb_object_keys(v.metadata)) END
$$;
