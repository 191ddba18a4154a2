-- Each process keeps its own readings of the database for /metrics.
DROP TABLE metric_reading;
