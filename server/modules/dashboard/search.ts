import type { AccountCtx } from '../../context.ts'
import { pool } from '../../platform/database/database.ts'
import { beginning, containing, matches } from '../../platform/database/text-sql.ts'
import type { KeyEnvironment } from '../access/keys/format.ts'
import { contentAccessOf } from '../audit/content-access.ts'
import type { VideoStatus } from '../videos/state.ts'
import { findPerson } from './people/people.ts'
import type { SearchInput } from './search-schema.ts'

/** The first matches, as suggestions while typing. The list pages show all. */
interface Found {
  videos: { id: string; title: string; status: VideoStatus }[]
  keys: { id: string; name: string; prefix: string; environment: KeyEnvironment }[]
  /** What else has the text as its whole ID, or undefined. */
  identified: Identified | undefined
}

const MOST = 6

const VIDEOS = `
  SELECT id, title, status FROM video WHERE account_id = $1 AND deleted_at IS NULL AND (${matches('title', '$2')} OR id LIKE $3)
  ORDER BY created_at DESC, id LIMIT ${MOST}`
const KEYS = `
  SELECT id, name, prefix, environment FROM api_key WHERE account_id = $1 AND (${matches('name', '$2')} OR id LIKE $3 OR prefix LIKE $3)
  ORDER BY revoked_at IS NOT NULL, created_at DESC, id LIMIT ${MOST}`

/**
 * Finds videos by title or ID, keys by name, ID or prefix, and anything else by its whole ID. Omits deleted videos and lists revoked keys
 * last.
 */
export async function find(ctx: AccountCtx, { text }: SearchInput): Promise<Found> {
  const values = [ctx.accountId, containing(text), beginning(text)]
  // Not prepared: whether the title index is cheaper depends on how rare the word is.
  const [videos, keys, identified, person] = await Promise.all([
    pool().query<Found['videos'][number]>(VIDEOS, values),
    pool().query<Found['keys'][number]>(KEYS, values),
    findById(ctx, text),
    contentAccessOf(ctx) && findPerson(ctx, { id: text }),
  ])
  const viewer = person ? ({ kind: 'viewer', id: person.reference, name: text, on: null } as const) : undefined
  return { videos: videos.rows, keys: keys.rows, identified: identified ?? viewer }
}

/** Something in the account found by its whole ID. Its kind states which page shows it. */
export interface Identified {
  kind:
    | 'media'
    | 'request'
    | 'token'
    | 'endpoint'
    | 'event'
    | 'upload'
    | 'collection'
    | 'link'
    | 'member'
    | 'invitation'
    | 'payment'
    | 'receipt'
    | 'quotaRequest'
    | 'viewer'
  id: string
  name: string
  /** The video or key whose page shows it. Null for one with its own page or list. */
  on: string | null
}

/**
 * SQL for each prefix of an ID that people copy: `$1` is the account, `$2` the ID. Videos and keys are also found by parts of their IDs.
 */
const THINGS: Record<string, { kind: Identified['kind']; sql: string }> = {
  vid: {
    kind: 'media',
    // URLs of segments contain the ID of the media, which after a replacement is not the ID of the video.
    sql: `SELECT m.id, 'Media of ' || v.title AS name, v.id AS "on" FROM media m JOIN video v ON v.id = m.video_id
      WHERE v.account_id = $1 AND m.id = $2 AND m.id <> v.id AND v.deleted_at IS NULL`,
  },
  req: { kind: 'request', sql: `SELECT id, method || ' ' || path AS name FROM request_log WHERE account_id = $1 AND id = $2` },
  tok: {
    kind: 'token',
    // A session that was active in the last minutes has a row on the page of its video.
    sql: `SELECT $2 AS id, 'Playback session of ' || v.title AS name, v.id AS "on" FROM live_session s JOIN video v ON v.id = s.video_id
      WHERE s.account_id = $1 AND s.id LIKE '%-' || $2
      UNION ALL SELECT token_id, 'Playback token', NULL FROM request_log WHERE account_id = $1 AND token_id = $2`,
  },
  whe: { kind: 'endpoint', sql: 'SELECT id, url AS name FROM webhook_endpoint WHERE account_id = $1 AND id = $2' },
  evt: { kind: 'event', sql: 'SELECT id, type AS name FROM webhook_event WHERE account_id = $1 AND id = $2' },
  upl: {
    kind: 'upload',
    sql: `SELECT u.id, coalesce(v.title, u.fields ->> 'title', 'Upload') AS name, v.id AS "on" FROM direct_upload u
      LEFT JOIN video v ON v.id = coalesce(u.fields ->> 'replaces', u.video_id) AND v.account_id = u.account_id AND v.deleted_at IS NULL
      WHERE u.account_id = $1 AND u.id = $2`,
  },
  col: { kind: 'collection', sql: 'SELECT id, name FROM collection WHERE account_id = $1 AND id = $2' },
  shr: {
    kind: 'link',
    sql: `SELECT s.id, coalesce(nullif(s.name, ''), 'Share link') || ' of ' || v.title AS name, v.id AS "on"
      FROM share_link s JOIN video v ON v.id = s.video_id WHERE v.account_id = $1 AND s.id = $2 AND v.deleted_at IS NULL`,
  },
  usr: {
    kind: 'member',
    sql: 'SELECT u.id, u.email AS name FROM membership m JOIN app_user u ON u.id = m.user_id WHERE m.account_id = $1 AND u.id = $2',
  },
  inv: { kind: 'invitation', sql: 'SELECT id, email AS name FROM invitation WHERE account_id = $1 AND id = $2 AND ended_at IS NULL' },
  pay: { kind: 'payment', sql: `SELECT id, 'Payment' AS name FROM payment WHERE account_id = $1 AND id = $2` },
  rcp: {
    kind: 'receipt',
    sql: `SELECT id, 'Receipt' AS name FROM key_stop WHERE account_id = $1 AND id = $2
      UNION ALL SELECT id, 'Receipt' FROM deletion WHERE account_id = $1 AND id = $2`,
  },
  vwr: { kind: 'viewer', sql: `SELECT id, 'Viewer' AS name FROM viewer WHERE account_id = $1 AND id = $2` },
  qrq: {
    kind: 'quotaRequest',
    sql: `SELECT q.id, 'Quota request for ' || k.name AS name, k.id AS "on" FROM quota_request q JOIN api_key k ON k.id = q.key_id
      WHERE q.account_id = $1 AND q.id = $2`,
  },
}

/** Returns what in the account has this ID, by its prefix. Undefined for an unknown ID, or a text that is not one. */
async function findById({ accountId }: AccountCtx, text: string): Promise<Identified | undefined> {
  const thing = THINGS[/^([a-z]{3})_[\w-]{1,60}$/.exec(text)?.[1] ?? '']
  if (!thing) return undefined
  const { rows } = await pool().query<Omit<Identified, 'kind' | 'on'> & { on?: string | null }>(`${thing.sql} LIMIT 1`, [accountId, text])
  return rows[0] && { kind: thing.kind, on: null, ...rows[0] }
}
