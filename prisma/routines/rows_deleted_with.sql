-- How many rows go with those of `target` for which `condition` holds, by table: they themselves and what foreign keys
-- delete with them, at any depth. Reads the catalogue, so that a table added later is counted as well. A row reached in
-- two ways is counted once.
CREATE OR REPLACE FUNCTION rows_deleted_with(target regclass, condition text) RETURNS jsonb
  LANGUAGE plpgsql STABLE AS $$
DECLARE
  conditions jsonb := jsonb_build_object(target::text, condition);
  depth jsonb := jsonb_build_object(target::text, 0);
  todo text[] := ARRAY[target::text];
  parent text;
  parent_condition text;
  link record;
  child_condition text;
  counted bigint;
  result jsonb := '{}';
BEGIN
  WHILE cardinality(todo) > 0 LOOP
    parent := todo[1];
    todo := todo[2:];
    parent_condition := conditions ->> parent;
    FOR link IN
      SELECT c.conrelid::regclass::text AS child,
        (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.at)
          FROM unnest(c.conkey) WITH ORDINALITY AS k(num, at)
          JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.num) AS child_columns,
        (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY k.at)
          FROM unnest(c.confkey) WITH ORDINALITY AS k(num, at)
          JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.num) AS parent_columns
      -- Of a partitioned table the constraint of the whole, and not those of its partitions.
      FROM pg_constraint c WHERE c.contype = 'f' AND c.confdeltype = 'c' AND c.confrelid = parent::regclass
        AND c.conrelid <> c.confrelid AND c.conparentid = 0
    LOOP
      child_condition := format('(%s) IN (SELECT %s FROM %s WHERE %s)', link.child_columns, link.parent_columns,
        parent, parent_condition);
      IF conditions ? link.child THEN child_condition := (conditions ->> link.child) || ' OR ' || child_condition;
      ELSIF (depth ->> parent)::int < 5 THEN todo := todo || link.child;
      END IF;
      conditions := conditions || jsonb_build_object(link.child, child_condition);
      depth := depth || jsonb_build_object(link.child, (depth ->> parent)::int + 1);
    END LOOP;
  END LOOP;
  FOR parent, parent_condition IN SELECT * FROM jsonb_each_text(conditions) LOOP
    EXECUTE format('SELECT count(*) FROM %s WHERE %s', parent, parent_condition) INTO counted;
    IF counted > 0 THEN result := result || jsonb_build_object(parent, counted); END IF;
  END LOOP;
  RETURN result;
END $$;
