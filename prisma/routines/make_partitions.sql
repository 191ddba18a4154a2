-- Makes the partitions of every partitioned table for today and the days, or months, that follow. Moves rows of the
-- default partition to a new one. Runs as the owner of the tables, at the start of a process and from a job. A partition
-- that another transaction delays is left to the next run; the default partition takes its rows until then.
CREATE OR REPLACE FUNCTION make_partitions() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET timezone = 'UTC' SET lock_timeout = '1s' AS $$
DECLARE
  parent RECORD;
  bounds RECORD;
BEGIN
  PERFORM pg_advisory_xact_lock(72707372);
  FOR parent IN
    SELECT c.relname AS name, a.attname AS key, CASE c.relname WHEN 'request_log' THEN 'day' ELSE 'month' END AS unit
    FROM pg_partitioned_table p JOIN pg_class c ON c.oid = p.partrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
    WHERE c.relnamespace = 'public'::regnamespace ORDER BY c.relname
  LOOP
    FOR bounds IN
      SELECT parent.name || to_char(low, CASE parent.unit WHEN 'day' THEN '_YYYYMMDD' ELSE '_YYYYMM' END) AS name,
        low::text AS low, (low + ('1 ' || parent.unit)::interval)::text AS high
      FROM generate_series(date_trunc(parent.unit, service_now()),
        service_now() + CASE parent.unit WHEN 'day' THEN interval '7 days' ELSE interval '2 months' END,
        ('1 ' || parent.unit)::interval) AS low
    LOOP
      CONTINUE WHEN to_regclass(bounds.name) IS NOT NULL;
      BEGIN
        EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', parent.name || '_default');
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE)', bounds.name, parent.name);
        EXECUTE format('WITH moved AS (DELETE FROM %I WHERE %I >= %L AND %I < %L RETURNING *) INSERT INTO %I SELECT * '
          'FROM moved', parent.name || '_default', parent.key, bounds.low, parent.key, bounds.high, bounds.name);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent.name, bounds.name,
          bounds.low, bounds.high);
      EXCEPTION WHEN lock_not_available THEN
        RAISE WARNING 'The partition % waits for another transaction and is made later.', bounds.name;
      END;
    END LOOP;
  END LOOP;
END $$;
