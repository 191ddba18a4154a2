-- What a video of an account moves it on by: a paid account has three turns for each of a free one.
CREATE OR REPLACE FUNCTION transcode_turn_cost(tier "Tier") RETURNS BIGINT LANGUAGE sql IMMUTABLE AS
  $$ SELECT CASE tier WHEN 'PAID' THEN 1 ELSE 3 END::bigint $$;
