-- Texts come in NFC since; file names of macOS did not. Names that are unique follow in the next migration. Logs, receipts
-- and events are records of what was said, and stay.
DO $$
DECLARE
  one RECORD;
BEGIN
  FOR one IN SELECT * FROM (VALUES
    ('account', 'name'), ('account_note', 'body'), ('announcement', 'message'), ('api_key', 'name'),
    ('audio_rendition', 'name'), ('caption', 'label'), ('quota_request', 'reason'), ('share_link', 'name'),
    ('video', 'title'), ('video', 'description'), ('video', 'source_name'), ('webhook_endpoint', 'description')
  ) AS texts (of_table, of_column) LOOP
    EXECUTE format('UPDATE %1$I SET %2$I = normalize(%2$I, NFC) WHERE %2$I IS NOT NFC NORMALIZED', one.of_table, one.of_column);
  END LOOP;
  -- No character of JSON's own composes with a mark that follows it.
  FOR one IN SELECT * FROM (VALUES
    ('direct_upload', 'fields'), ('multipart_upload', 'metadata'), ('video', 'chapters'), ('video', 'metadata')
  ) AS texts (of_table, of_column) LOOP
    EXECUTE format('UPDATE %1$I SET %2$I = normalize(%2$I::text, NFC)::jsonb WHERE %2$I::text IS NOT NFC NORMALIZED',
      one.of_table, one.of_column);
  END LOOP;
END $$;

-- An id that another video of the account has in NFC, or another form of the same one, stays as it is.
UPDATE video v SET external_id = normalize(external_id, NFC)
WHERE external_id IS NOT NFC NORMALIZED AND NOT EXISTS (
  SELECT FROM video other WHERE other.account_id = v.account_id AND other.id <> v.id AND other.deleted_at IS NULL
    AND normalize(other.external_id, NFC) = normalize(v.external_id, NFC)
    AND (other.external_id IS NFC NORMALIZED OR (other.created_at, other.id) < (v.created_at, v.id)));
