-- The same clock as service_now(), which stays at its transaction's beginning, but this one goes on: for what is
-- decided after waiting for a lock, such as whether a key has been revoked meanwhile.
CREATE OR REPLACE FUNCTION service_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  $$SELECT date_trunc('milliseconds', clock_timestamp())$$;
