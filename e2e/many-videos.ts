import pg from 'pg'
import './container.ts'
import { attachToEmbeddedPostgres } from '../server/platform/postgres/embedded.ts'

const MADE = `
  INSERT INTO video (id, account_id, title, status, target_quality, qualities, duration_sec, created_at)
  SELECT 'vid_' || substr(md5($1 || n::text), 1, 22), $1, 'Episode ' || lpad(n::text, greatest(3, length(n::text)), '0'), (CASE WHEN n % 10 = 0 THEN 'FAILED' ELSE 'COMPLETED' END)::"VideoStatus",
    '720p', '{720p}', n, now() - interval '1 minute' * n
  FROM generate_series(1, $2::int) AS n`

/** Adds this many videos to an account's list, the first the newest and the shortest, every tenth failed; none has media. */
export async function giveVideos(accountId: string, count: number): Promise<void> {
  const { url, stop } = await attachToEmbeddedPostgres(process.env.REELGATE_E2E_DATA as string)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(MADE, [accountId, count])
  await client.end()
  await stop()
}
