-- A video under legal hold stays, by whatever way it is deleted: with its account, too.
CREATE OR REPLACE FUNCTION keep_held_video() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'video % was taken down and is held', OLD.id USING ERRCODE = 'RG001';
END $$;

CREATE OR REPLACE TRIGGER video_held BEFORE DELETE ON video FOR EACH ROW WHEN (OLD.taken_down_at IS NOT NULL)
  EXECUTE FUNCTION keep_held_video();
