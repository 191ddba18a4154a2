-- Micro-credits as the credits that people and programs see: a decimal without trailing zeros.
CREATE OR REPLACE FUNCTION credits_text(micro bigint) RETURNS text
  LANGUAGE sql IMMUTABLE AS 'SELECT trim_scale(micro / 1000000.0)::text';
