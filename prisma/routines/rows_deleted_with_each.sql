-- Like rows_deleted_with(), for many rows of `target` at once, each named by its id: how many rows go with it, by
-- table. The catalogue is read once and each table is counted by one query.
CREATE OR REPLACE FUNCTION rows_deleted_with_each(target regclass, ids text[])
  RETURNS TABLE (deleted_id text, deleted_rows jsonb) LANGUAGE plpgsql STABLE AS $$
DECLARE
  -- By table: a query of its rows, with the id of the row of `target` that they go with.
  sources jsonb := jsonb_build_object(target::text,
    format('SELECT t.id AS _root, (t.tableoid, t.ctid) AS _row, t.* FROM %s t WHERE t.id = ANY ($1)', target));
  depth jsonb := jsonb_build_object(target::text, 0);
  todo text[] := ARRAY[target::text];
  parent text;
  link record;
  source text;
BEGIN
  WHILE cardinality(todo) > 0 LOOP
    parent := todo[1];
    todo := todo[2:];
    FOR link IN
      SELECT c.conrelid::regclass::text AS child,
        (SELECT string_agg(format('c.%I = p.%I', a.attname, f.attname), ' AND ')
          FROM unnest(c.conkey, c.confkey) AS k(num, fnum)
          JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.num
          JOIN pg_attribute f ON f.attrelid = c.confrelid AND f.attnum = k.fnum) AS joined
      FROM pg_constraint c WHERE c.contype = 'f' AND c.confdeltype = 'c' AND c.confrelid = parent::regclass
        AND c.conrelid <> c.confrelid AND c.conparentid = 0
    LOOP
      source := format('SELECT p._root, (c.tableoid, c.ctid) AS _row, c.* FROM (%s) p JOIN %s c ON %s',
        sources ->> parent, link.child, link.joined);
      IF sources ? link.child THEN source := (sources ->> link.child) || ' UNION ALL ' || source;
      ELSIF (depth ->> parent)::int < 5 THEN todo := todo || link.child;
      END IF;
      sources := sources || jsonb_build_object(link.child, source);
      depth := depth || jsonb_build_object(link.child, (depth ->> parent)::int + 1);
    END LOOP;
  END LOOP;
  SELECT string_agg(
    format('SELECT %L AS name, _root, count(DISTINCT _row) AS n FROM (%s) s GROUP BY _root', key, value), ' UNION ALL ')
  INTO source FROM jsonb_each_text(sources);
  RETURN QUERY EXECUTE format('SELECT _root, jsonb_object_agg(name, n) FROM (%s) counted GROUP BY _root', source)
    USING ids;
END $$;
