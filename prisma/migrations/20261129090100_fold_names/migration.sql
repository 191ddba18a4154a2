-- Letter case and order of all scripts, whatever the locale of the database: from ICU, else from PostgreSQL itself (17 or
-- newer), else from the system. What each offers is known only once a letter has been folded.
DO $$
DECLARE
  source TEXT;
  folds BOOLEAN;
BEGIN
  FOREACH source IN ARRAY ARRAY[
    $s$provider = icu, locale = 'und'$s$,
    $s$provider = builtin, locale = 'PG_UNICODE_FAST'$s$,
    $s$provider = builtin, locale = 'C.UTF-8'$s$,
    $s$provider = libc, locale = 'C.UTF-8'$s$,
    $s$provider = libc, locale = 'en_US.UTF-8'$s$
  ] LOOP
    BEGIN
      EXECUTE format('CREATE COLLATION reelgate (%s)', source);
      EXECUTE $s$SELECT lower('ÜП' COLLATE reelgate) = 'üп'$s$ INTO folds;
      IF folds THEN RETURN; END IF;
      DROP COLLATION reelgate;
    EXCEPTION
      WHEN insufficient_privilege THEN RAISE;
      -- This one is not there.
      WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  RAISE WARNING 'This PostgreSQL knows no letters but those of ASCII: it has neither ICU nor a locale in UTF-8.';
  CREATE COLLATION reelgate FROM "C";
END $$;

-- Small tables. No other name may come in between.
LOCK TABLE collection, saved_filter IN SHARE ROW EXCLUSIVE MODE;
DROP INDEX collection_account_id_lower_name_key;
DROP INDEX saved_filter_account_id_user_id_lower_name_key;
UPDATE collection SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED;
UPDATE saved_filter SET name = normalize(name, NFC) WHERE name IS NOT NFC NORMALIZED;

-- Of names that are the same now, the oldest stays; the others receive the first number that is free.
DO $$
DECLARE
  one RECORD;
  attempt INT;
  numbered TEXT;
BEGIN
  FOR one IN
    SELECT id, account_id, name FROM (
      SELECT *, row_number() OVER (
        PARTITION BY account_id, upper(lower(name COLLATE reelgate)) COLLATE "C" ORDER BY created_at, id) AS place
      FROM collection) AS named
    WHERE place > 1 ORDER BY account_id, place, id
  LOOP
    attempt := 1;
    LOOP
      attempt := attempt + 1;
      numbered := left(one.name, 90) || ' (' || attempt || ')';
      EXIT WHEN NOT EXISTS (
        SELECT FROM collection WHERE account_id = one.account_id
          AND upper(lower(name COLLATE reelgate)) COLLATE "C" = upper(lower(numbered COLLATE reelgate)) COLLATE "C");
    END LOOP;
    UPDATE collection SET name = numbered WHERE id = one.id;
  END LOOP;
  FOR one IN
    SELECT id, account_id, user_id, name FROM (
      SELECT *, row_number() OVER (
        PARTITION BY account_id, COALESCE(user_id, ''), upper(lower(name COLLATE reelgate)) COLLATE "C"
        ORDER BY created_at, id) AS place
      FROM saved_filter) AS named
    WHERE place > 1 ORDER BY account_id, place, id
  LOOP
    attempt := 1;
    LOOP
      attempt := attempt + 1;
      numbered := left(one.name, 50) || ' (' || attempt || ')';
      EXIT WHEN NOT EXISTS (
        SELECT FROM saved_filter WHERE account_id = one.account_id AND COALESCE(user_id, '') = COALESCE(one.user_id, '')
          AND upper(lower(name COLLATE reelgate)) COLLATE "C" = upper(lower(numbered COLLATE reelgate)) COLLATE "C");
    END LOOP;
    UPDATE saved_filter SET name = numbered WHERE id = one.id;
  END LOOP;
END $$;

-- As `folded` in server/platform/text-sql.ts, by bytes: another version of ICU orders letters in another way.
CREATE UNIQUE INDEX collection_account_id_folded_name_key
  ON collection (account_id, (upper(lower(name COLLATE reelgate)) COLLATE "C"));
CREATE UNIQUE INDEX saved_filter_account_id_user_id_folded_name_key
  ON saved_filter (account_id, COALESCE(user_id, ''), (upper(lower(name COLLATE reelgate)) COLLATE "C"));
