-- The job queue makes its own tables in here; the role of the service may make no schemas.
CREATE SCHEMA IF NOT EXISTS "pgboss";
