-- What viewers with one value of each of two dimensions watched on a UTC day, for the report of the viewers with one value.
CREATE TABLE account_viewer_pair_day (
  account_id TEXT NOT NULL,
  day DATE NOT NULL,
  dimension TEXT NOT NULL,
  value TEXT NOT NULL,
  with_dimension TEXT NOT NULL,
  with_value TEXT NOT NULL,
  plays INTEGER NOT NULL DEFAULT 0,
  watch_ms BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT account_viewer_pair_day_pkey PRIMARY KEY (account_id, day, dimension, value, with_dimension, with_value),
  CONSTRAINT account_viewer_pair_day_account_id_fkey FOREIGN KEY (account_id) REFERENCES account (id)
    ON DELETE CASCADE ON UPDATE CASCADE
) PARTITION BY RANGE (day);
CREATE TABLE account_viewer_pair_day_default PARTITION OF account_viewer_pair_day DEFAULT;
