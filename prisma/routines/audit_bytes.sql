-- Bytes that an audit entry counts with: its snapshots, and 600 for the row, its link and their indexes.
CREATE OR REPLACE FUNCTION audit_bytes(before jsonb, after jsonb) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
  SELECT COALESCE(octet_length(before::text), 0) + COALESCE(octet_length(after::text), 0) + 600
$$;
