-- Every process holds the ends in memory and adds what a notice names (server/modules/delivery/sessions/ends.ts); 0 says that an
-- end is forgotten.
CREATE OR REPLACE FUNCTION notify_playback_end() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM pg_notify('reelgate', 'playback:0 ' || OLD.subject);
  ELSE
    PERFORM pg_notify('reelgate', 'playback:' || NEW.number || ' ' || NEW.subject);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER playback_end_changed
  AFTER INSERT OR UPDATE OR DELETE ON playback_end
  FOR EACH ROW EXECUTE FUNCTION notify_playback_end();
