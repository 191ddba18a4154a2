-- Every account has a wallet from its first moment, so that no reader has to ask.
CREATE OR REPLACE FUNCTION open_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO wallet (account_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER account_opens_wallet AFTER INSERT ON account FOR EACH ROW EXECUTE FUNCTION open_wallet();
