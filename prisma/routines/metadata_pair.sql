-- Identifies a name with a value of metadata in `video_metadata`. Names have no brackets.
CREATE OR REPLACE FUNCTION metadata_pair(name text, value text) RETURNS uuid
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT md5(name || ']' || value)::uuid $$;
