-- Returns PostgreSQL's dictionary for a language (BCP 47), `simple` for one without.
CREATE OR REPLACE FUNCTION spoken_language(tag text) RETURNS regconfig
  LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
  SELECT coalesce((
    SELECT c.oid::regconfig FROM pg_ts_config c JOIN (VALUES
      ('ar', 'arabic'), ('hy', 'armenian'), ('eu', 'basque'), ('ca', 'catalan'), ('da', 'danish'), ('nl', 'dutch'),
      ('en', 'english'), ('fi', 'finnish'), ('fr', 'french'), ('de', 'german'), ('el', 'greek'), ('hi', 'hindi'),
      ('hu', 'hungarian'), ('id', 'indonesian'), ('ga', 'irish'), ('it', 'italian'), ('lt', 'lithuanian'), ('ne', 'nepali'),
      ('no', 'norwegian'), ('nb', 'norwegian'), ('nn', 'norwegian'), ('pt', 'portuguese'), ('ro', 'romanian'),
      ('ru', 'russian'), ('sr', 'serbian'), ('es', 'spanish'), ('sv', 'swedish'), ('ta', 'tamil'), ('tr', 'turkish'),
      ('yi', 'yiddish')) AS known (language, dictionary) ON known.dictionary = c.cfgname
    WHERE c.cfgnamespace = 'pg_catalog'::regnamespace AND known.language = split_part(tag, '-', 1)),
    'pg_catalog.simple'::regconfig) $$;
