CREATE OR REPLACE FUNCTION count_capped_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE wallet SET capped_keys = capped_keys + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END
    WHERE account_id = COALESCE(NEW.account_id, OLD.account_id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER key_cap_counted AFTER INSERT OR DELETE ON key_cap FOR EACH ROW
  EXECUTE FUNCTION count_capped_keys();
