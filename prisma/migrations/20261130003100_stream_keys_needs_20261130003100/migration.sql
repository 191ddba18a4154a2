-- Earlier builds would hand the 32 bytes of such media to players as their AES-128 key.
COMMENT ON COLUMN media.content_key IS
  'Sealed. 32 bytes: each stream has a key that derives from it. 16 bytes: the AES-128 key of all streams.';
