import type { AccountCtx } from '../../context.ts'
import { pool } from '../../platform/database/database.ts'
import { beginning, containing, matches } from '../../platform/database/text-sql.ts'
import type { KeyEnvironment } from '../access/keys/format.ts'
import type { VideoStatus } from '../videos/state.ts'
import { findById, type Identified } from './find-by-id.ts'
import type { SearchInput } from './search-schema.ts'

/** The first matches, for suggestions during typing; the list pages show all. */
export interface Found {
  videos: { id: string; title: string; status: VideoStatus }[]
  keys: { id: string; name: string; prefix: string; environment: KeyEnvironment }[]
  /** What else has the text as its whole id; undefined without one. */
  identified: Identified | undefined
}

const MOST = 6

const VIDEOS = `
  SELECT id, title, status FROM video WHERE account_id = $1 AND deleted_at IS NULL AND (${matches('title', '$2')} OR id LIKE $3)
  ORDER BY created_at DESC, id LIMIT ${MOST}`
const KEYS = `
  SELECT id, name, prefix, environment FROM api_key WHERE account_id = $1 AND (${matches('name', '$2')} OR id LIKE $3 OR prefix LIKE $3)
  ORDER BY revoked_at IS NOT NULL, created_at DESC, id LIMIT ${MOST}`

/** Finds videos by title or id, keys by name, id or prefix, and anything else by its whole id; omits deleted videos and lists revoked keys last. */
export async function find(ctx: AccountCtx, { text }: SearchInput): Promise<Found> {
  const values = [ctx.accountId, containing(text), beginning(text)]
  // Not prepared: whether the index on parts of titles is cheaper depends on how rare the word is.
  const [videos, keys, identified] = await Promise.all([
    pool().query<Found['videos'][number]>(VIDEOS, values),
    pool().query<Found['keys'][number]>(KEYS, values),
    findById(ctx, text),
  ])
  return { videos: videos.rows, keys: keys.rows, identified }
}
