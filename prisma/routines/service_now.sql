-- The service's clock. Every rule about days and lifetimes asks this, never a process's own clock, so that skewed
-- machines agree; tests replace it to hold it at a midnight.
CREATE OR REPLACE FUNCTION service_now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT now()';
