CREATE OR REPLACE FUNCTION notify_membership() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('reelgate', 'membership:' || OLD.account_id || ':' || OLD.user_id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER membership_changed AFTER DELETE OR UPDATE OF role ON membership FOR EACH ROW
  EXECUTE FUNCTION notify_membership();
