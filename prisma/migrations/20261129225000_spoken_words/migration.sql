-- Which stored text of captions can be searched; NULL until its cues are.
ALTER TABLE caption ADD COLUMN searchable TEXT;

-- Cues of captions, to find videos by what is said in them. `name`: the stored text that they are from.
CREATE TABLE caption_cue (
  video_id TEXT NOT NULL,
  language TEXT NOT NULL,
  position INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  from_sec DOUBLE PRECISION NOT NULL,
  to_sec DOUBLE PRECISION NOT NULL,
  text TEXT NOT NULL,
  words TSVECTOR NOT NULL,
  CONSTRAINT caption_cue_pkey PRIMARY KEY (video_id, language, position),
  CONSTRAINT caption_cue_video_id_language_fkey FOREIGN KEY (video_id, language) REFERENCES caption (video_id, language)
    ON DELETE CASCADE ON UPDATE CASCADE
);
-- The words of one account, where PostgreSQL has the extension; Prisma's schema cannot say this.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS btree_gin;
  CREATE INDEX caption_cue_words_idx ON caption_cue USING gin (account_id, words);
EXCEPTION WHEN feature_not_supported OR undefined_file OR undefined_object OR insufficient_privilege THEN
  CREATE INDEX caption_cue_words_idx ON caption_cue USING gin (words);
END $$;
