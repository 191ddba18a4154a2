-- Texts come in NFC since; file names of macOS did not. Names that are unique follow in the next migration. Logs, receipts
-- and events are records of what was said, and stay.

-- Text by text: in the text of a document, the n of a line break composes with a mark that follows it.
CREATE FUNCTION texts_in_nfc(given JSONB) RETURNS JSONB LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE jsonb_typeof(given)
    WHEN 'string' THEN to_jsonb(normalize(given #>> '{}', NFC))
    WHEN 'array' THEN COALESCE(
      (SELECT jsonb_agg(texts_in_nfc(value) ORDER BY place) FROM jsonb_array_elements(given) WITH ORDINALITY AS items (value, place)), '[]')
    WHEN 'object' THEN COALESCE((SELECT jsonb_object_agg(normalize(key, NFC), texts_in_nfc(value)) FROM jsonb_each(given)), '{}')
    ELSE given
  END;
END $$;

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
  FOR one IN SELECT * FROM (VALUES
    ('direct_upload', 'fields'), ('multipart_upload', 'metadata'), ('video', 'chapters'), ('video', 'metadata')
  ) AS texts (of_table, of_column) LOOP
    EXECUTE format('UPDATE %1$I SET %2$I = texts_in_nfc(%2$I) WHERE %2$I::text IS NOT NFC NORMALIZED',
      one.of_table, one.of_column);
  END LOOP;
END $$;
DROP FUNCTION texts_in_nfc(JSONB);

-- An id that another video of the account has in NFC, or another form of the same one, stays as it is.
UPDATE video v SET external_id = normalize(external_id, NFC)
WHERE external_id IS NOT NFC NORMALIZED AND NOT EXISTS (
  SELECT FROM video other WHERE other.account_id = v.account_id AND other.id <> v.id AND other.deleted_at IS NULL
    AND normalize(other.external_id, NFC) = normalize(v.external_id, NFC)
    AND (other.external_id IS NFC NORMALIZED OR (other.created_at, other.id) < (v.created_at, v.id)));
