-- Who stored the text, as the audit log names actors; NULL for the service.
ALTER TABLE caption ADD COLUMN changed_by TEXT;

-- Texts that captions had before. `created_at`: since when; `replaced_at`: until when.
CREATE TABLE caption_version (
  video_id TEXT NOT NULL,
  language TEXT NOT NULL,
  number INTEGER NOT NULL,
  label TEXT NOT NULL,
  name TEXT NOT NULL,
  cues INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  from_source BOOLEAN NOT NULL,
  generated BOOLEAN NOT NULL,
  edited BOOLEAN NOT NULL,
  changed_by TEXT,
  created_at TIMESTAMPTZ(3) NOT NULL,
  replaced_at TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT caption_version_pkey PRIMARY KEY (video_id, language, number),
  CONSTRAINT caption_version_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);

-- Edited captions that are not published yet. No revision is ever used twice.
CREATE TABLE caption_draft (
  video_id TEXT NOT NULL,
  language TEXT NOT NULL,
  revision BIGSERIAL NOT NULL,
  based_on TEXT,
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  changed_by TEXT NOT NULL,
  changed_at TIMESTAMPTZ(3) NOT NULL DEFAULT service_now(),
  CONSTRAINT caption_draft_pkey PRIMARY KEY (video_id, language),
  CONSTRAINT caption_draft_video_id_fkey FOREIGN KEY (video_id) REFERENCES video (id)
    ON DELETE CASCADE ON UPDATE CASCADE
);

-- The captions that were made of the words.
ALTER TABLE transcript ADD COLUMN captions_name TEXT;
UPDATE transcript t SET captions_name = c.name FROM caption c
WHERE c.video_id = t.video_id AND c.language = t.language AND c.generated AND NOT c.edited AND t.words IS NOT NULL;
