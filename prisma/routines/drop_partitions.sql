-- Drops the partitions of a partitioned table that hold only rows older than `before`, and such rows of its default
-- partition. Returns the names of those dropped. Runs as the owner of the tables.
CREATE OR REPLACE FUNCTION drop_partitions(parent regclass, before timestamptz) RETURNS text[]
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
DECLARE
  child RECORD;
  dropped text[] := '{}';
BEGIN
  PERFORM pg_advisory_xact_lock(72707372);
  FOR child IN
    SELECT c.relname AS name, a.attname AS key, pg_get_expr(c.relpartbound, c.oid) AS bound
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_partitioned_table p ON p.partrelid = i.inhparent
    JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
    WHERE i.inhparent = parent
  LOOP
    BEGIN
      IF child.bound = 'DEFAULT' THEN
        EXECUTE format('DELETE FROM %I WHERE %I < $1', child.name, child.key) USING before;
      ELSIF (regexp_match(child.bound, 'TO \(''([^'']+)''\)'))[1]::timestamptz <= before THEN
        EXECUTE format('DROP TABLE %I', child.name);
        dropped := dropped || child.name::text;
      END IF;
    EXCEPTION WHEN lock_not_available THEN
      RAISE WARNING 'Rows of % wait for another transaction and are dropped later.', child.name;
    END;
  END LOOP;
  RETURN dropped;
END $$;
