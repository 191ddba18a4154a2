-- The viewer whom the token of a refused call names. Erasing one finds the rows by `request_log_refused_idx`.
ALTER TABLE request_log ADD COLUMN viewer_id TEXT;
