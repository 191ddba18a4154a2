-- Returns what finds cues with all words of a text, as each of PostgreSQL's dictionaries reads them, or with all of
-- `pairs`: the pairs of characters for languages that do not separate words. NULL if there is nothing to find.
CREATE OR REPLACE FUNCTION spoken_query(asked text, pairs text[]) RETURNS tsquery
  LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT string_agg(DISTINCT '(' || found || ')', ' | ')::tsquery FROM (
    SELECT plainto_tsquery(c.oid::regconfig, asked)::text AS found FROM pg_ts_config c
      WHERE c.cfgnamespace = 'pg_catalog'::regnamespace
    UNION ALL
    SELECT string_agg(quote_literal(pair), ' & ') FROM unnest(pairs) AS pair
  ) AS queries WHERE found <> '' $$;
