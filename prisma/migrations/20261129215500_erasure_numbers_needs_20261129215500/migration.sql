-- Sessions that opened before this number of the ends of playback must not bring an erased viewer back. Tokens would tell,
-- with the request log, from which address the viewer watched.
ALTER TABLE deletion ADD COLUMN ended_number BIGINT;
ALTER TABLE deletion DROP COLUMN token_ids;
