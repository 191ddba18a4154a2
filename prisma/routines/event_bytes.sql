-- Bytes that an event counts with: its payload, and 700 for the row, its indexes and its delivery.
CREATE OR REPLACE FUNCTION event_bytes(e webhook_event) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
  SELECT octet_length(e.payload) + 700
$$;
