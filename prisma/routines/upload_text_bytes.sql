-- Bytes that an upload of the API counts with, until it is forgotten: its fields, and 1,000 for the row and its indexes.
CREATE OR REPLACE FUNCTION upload_text_bytes(u direct_upload) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
  SELECT octet_length(u.fields::text) + 1000
$$;
