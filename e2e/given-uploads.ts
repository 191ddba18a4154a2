import pg from 'pg'
import './container.ts'
import { attachToEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'

// One upload in each state. Those in progress have a row in upload as well; their bytes are in no folder.
const MADE = `
  WITH made (n, title, state, code, reason, source, received) AS (VALUES
    (1, 'Harbour at dawn', 'open', NULL, NULL, NULL, NULL),
    (2, 'Lecture 4: Light', 'open', NULL, NULL, 'https://storage.example.com/courses/physics/lecture-04-light.mp4', NULL),
    (3, 'Opening keynote', 'completed', NULL, NULL, NULL, 73400320),
    (4, 'Interview, take 2', 'failed', 'ACCESS_DENIED', 'The server denied access (401 or 403). A signed URL may have expired.', 'https://media.example.org/takes/2.mov', 0),
    (5, 'Rehearsal', 'failed', 'CANCELLED', 'The upload was cancelled.', NULL, 12000000),
    (6, 'Backstage', 'expired', 'EXPIRED', 'The upload expired before it was complete. The data that we received was removed.', NULL, 4000000)),
  rows AS (
    INSERT INTO direct_upload (id, account_id, key_id, fields, max_bytes, created_at, expires_at, state, ended_at, received_bytes, video_id,
      failure_code, failure_reason, imported_from, has_query)
    SELECT 'upl_' || substr(md5($1 || n), 1, 22), $1, $2, json_build_object('title', title, 'targetQuality', '1080p', 'encrypted', true),
      2000000000, now() - interval '7 minutes' * n, now() + interval '1 day', state, CASE WHEN state <> 'open' THEN now() END, received,
      CASE WHEN state = 'completed' THEN $3 ELSE 'vid_none' END, code, reason, source, source IS NOT NULL
    FROM made RETURNING id, state, imported_from),
  held AS (INSERT INTO upload (id, account_id) SELECT id, $1 FROM rows WHERE state = 'open')
  SELECT id FROM rows WHERE state = 'open' AND imported_from IS NOT NULL`

const RETRIED = `
  INSERT INTO upload_import (id, url, attempts, failure_code, failure_reason, failed_at, retry_at)
  VALUES ($1, '\\x00', 7, 'SERVER_ERROR', 'The server responded with an error (408, 425, 429 or 5xx).', now(), now() + interval '5 hours')`

/** Adds uploads to an account that its key created: one in each state. */
export async function insertUploads({ account, key, video }: { account: string; key: string; video: string }): Promise<void> {
  const { url, stop } = await attachToEmbeddedPostgres(process.env.REELGATE_E2E_DATA as string)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ id: string }>(MADE, [account, key, video])
  await client.query(RETRIED, [rows[0]?.id])
  await client.end()
  await stop()
}
