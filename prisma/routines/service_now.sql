-- The service's clock, in whole milliseconds as columns store them: a column rounds, so that a finer instant would be
-- stored as a future one. Every rule about days and lifetimes asks this, never a process's own clock, so that skewed
-- machines agree; tests replace it to hold it at a midnight.
CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz LANGUAGE sql STABLE AS
  $$SELECT date_trunc('milliseconds', now())$$;
