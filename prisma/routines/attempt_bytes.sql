-- Bytes that an attempt of a delivery counts with: its texts, and 300 for the row and its index.
CREATE OR REPLACE FUNCTION attempt_bytes(a webhook_attempt) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(octet_length(a.headers), 0) + COALESCE(octet_length(a.body), 0) + COALESCE(octet_length(a.error), 0) + 300
$$;
