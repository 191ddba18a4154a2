-- Accounts take turns in each lane of a worker: `turn` is that of the picture, these are those of sound and of last steps.
ALTER TABLE transcode_turn ALTER COLUMN turn SET DEFAULT 0;
ALTER TABLE transcode_turn ADD COLUMN sound_turn BIGINT NOT NULL DEFAULT 0, ADD COLUMN last_turn BIGINT NOT NULL DEFAULT 0;
ALTER TABLE transcode_clock ADD COLUMN sound_turn BIGINT NOT NULL DEFAULT 0, ADD COLUMN last_turn BIGINT NOT NULL DEFAULT 0;
