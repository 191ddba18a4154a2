-- A key made at the same moment: FOR SHARE waits for a suspension that has not committed.
CREATE OR REPLACE FUNCTION key_of_suspended_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT suspended_at IS NOT NULL INTO NEW.suspended FROM account WHERE id = NEW.account_id FOR SHARE;
  NEW.suspended := COALESCE(NEW.suspended, false);
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER api_key_of_suspended_account BEFORE INSERT ON api_key FOR EACH ROW
  EXECUTE FUNCTION key_of_suspended_account();
