-- Only plays are summed: a player reports one once, so that its account's row is written once for each.
CREATE OR REPLACE FUNCTION sum_view_plays() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added BIGINT := NEW.plays - CASE TG_OP WHEN 'UPDATE' THEN OLD.plays ELSE 0 END;
BEGIN
  IF added <> 0 THEN
    INSERT INTO account_view_day AS held (account_id, day, plays) VALUES (NEW.account_id, NEW.day, added)
    ON CONFLICT (account_id, day) DO UPDATE SET plays = held.plays + EXCLUDED.plays;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER view_plays_summed AFTER INSERT OR UPDATE OF plays ON view_day
  FOR EACH ROW EXECUTE FUNCTION sum_view_plays();
