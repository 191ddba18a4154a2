import { db, query } from '../../../platform/database/database.ts'
import { alphabetical, containing, matches } from '../../../platform/database/text-sql.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { isKeyValue, PREFIX_LENGTH } from '../../access/keys/format.ts'
import { recordViews } from './open-account.ts'
import type { FindInput, SupportPage } from './schema.ts'
import { requireCurrentStaff, type StaffCtx } from './staff.ts'

/** An account that was found, and the page of it that shows the result. */
export interface Found {
  accountId: string
  name: string
  tier: 'FREE' | 'PAID'
  suspended: boolean
  /** Email address of its first owner. */
  owner: string | null
  page: SupportPage
  /** The id of what was found in it; null when the account itself was found. */
  subject: string | null
}

/** The kind of search and the accounts found; at most 20. */
export interface FindAnswer {
  by: Query['by']
  found: Found[]
}

const MOST = 20

/**
 * Finds accounts by name, email address, key prefix, the id of an account or of anything in it, or a pasted key or token (searches for its
 * hash or ids, and neither stores nor logs it). Records the view in the audit logs of the accounts, whose owners' email it shows.
 */
export async function findAccounts(staff: StaffCtx, { text }: FindInput): Promise<FindAnswer> {
  await requireCurrentStaff(db(), staff)
  const search = queryFor(text)
  let found = await inDatabase(search)
  // A token contains its video's id, also when the log has no request with it.
  if (found.length === 0 && search.by === 'token' && search.videoId) found = await inDatabase({ by: 'video', value: search.videoId })
  // Text that looks like an id without being one may be part of a name or an e-mail address.
  if (found.length === 0 && search.by !== 'words' && !isSecret(text)) {
    const named = await inDatabase(words(text))
    if (named.length > 0) return shown(staff, { by: 'words', found: named })
  }
  return shown(staff, { by: search.by, found })
}

async function shown(staff: StaffCtx, answer: FindAnswer): Promise<FindAnswer> {
  await recordViews(
    staff,
    answer.found.map(({ accountId }) => accountId),
    'search',
  )
  return answer
}

const inDatabase = ({ by, value }: Query) => query<Found>(`support-find-${by}`, `${FOUND[by]} ${SHOWN}`, [value, MOST])

interface Query {
  by: 'account' | 'user' | 'key' | 'key-value' | 'key-prefix' | 'token' | 'words' | (typeof OF)[keyof typeof OF]
  value: string | Buffer
  /** The unverified video id of a pasted token. */
  videoId?: string
}

/** A complete id; its prefix states the kind. */
const ID = /^([a-z]{3})_[\w-]{1,60}$/
const OF = {
  ...{ acc: 'account', usr: 'user', key: 'key', vid: 'video', req: 'request', tok: 'token', whe: 'endpoint', evt: 'event', upl: 'upload' },
  ...{ col: 'collection', shr: 'link', pay: 'payment', qrq: 'quota-request', apr: 'approval', inv: 'invitation' },
} as const

/** Whether the text is a secret, which is never searched in names: it must not be part of a statement's text. */
const isSecret = (text: string) => isKeyValue(text) || text.startsWith('pt_')
const words = (text: string): Query => ({ by: 'words', value: containing(text) })

/** Returns the query for the typed text, by its format: ids and keys state their kind. */
function queryFor(text: string): Query {
  if (isKeyValue(text)) return { by: 'key-value', value: Buffer.from(sha256(text)) }
  if (/^ak_(live|test)_\w+…?$/.test(text)) return { by: 'key-prefix', value: text.replace('…', '').slice(0, PREFIX_LENGTH) }
  if (text.startsWith('pt_')) return tokenQuery(text)
  const prefix = ID.exec(text)?.[1] ?? ''
  return prefix in OF ? { by: OF[prefix as keyof typeof OF], value: text } : words(text)
}

/**
 * Reads the ids of a pasted playback token without verifying it: staff may search for any id. Empty without ids.
 */
function tokenQuery(token: string): Query {
  try {
    const { jti, videoId } = Object(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())) as Record<string, unknown>
    const video = typeof videoId === 'string' && /^vid_\w{1,60}$/.test(videoId) ? { videoId } : {}
    return { by: 'token', value: typeof jti === 'string' && /^[\w-]{1,80}$/.test(jti) ? jti : '', ...video }
  } catch {
    return { by: 'token', value: '' }
  }
}

/** SQL of each kind: the account, its page, and the id on that page. `$1` is the value to find. */
const FOUND: Record<Query['by'], string> = {
  account: `WITH hit AS (SELECT id AS account_id, 'overview' AS page, NULL AS subject FROM account WHERE id = $1)`,
  user: `WITH hit AS (SELECT account_id, 'overview' AS page, NULL AS subject FROM membership WHERE user_id = $1)`,
  key: `WITH hit AS (SELECT account_id, 'keys' AS page, id AS subject FROM api_key WHERE id = $1)`,
  'key-value': `WITH hit AS (SELECT account_id, 'keys' AS page, id AS subject FROM api_key WHERE hash = $1)`,
  // A prefix has 12 characters; shorter ones match many keys.
  'key-prefix': `WITH hit AS (SELECT account_id, 'keys' AS page, id AS subject FROM api_key WHERE prefix LIKE replace($1, '_', '\\_') || '%')`,
  video: `WITH hit AS (SELECT account_id, 'videos' AS page, id AS subject FROM video WHERE id = $1)`,
  request: `WITH hit AS (SELECT account_id, 'requests' AS page, id AS subject FROM request_log WHERE id = $1)`,
  endpoint: `WITH hit AS (SELECT account_id, 'webhooks' AS page, id AS subject FROM webhook_endpoint WHERE id = $1)`,
  event: `WITH hit AS (SELECT account_id, 'webhooks' AS page, NULL AS subject FROM webhook_event WHERE id = $1)`,
  upload: `WITH hit AS (SELECT u.account_id, 'videos' AS page, v.id AS subject FROM direct_upload u LEFT JOIN video v ON v.id = coalesce(u.fields ->> 'replaces', u.video_id) WHERE u.id = $1)`,
  collection: `WITH hit AS (SELECT account_id, 'videos' AS page, NULL AS subject FROM collection WHERE id = $1)`,
  link: `WITH hit AS (SELECT v.account_id, 'videos' AS page, v.id AS subject FROM share_link s JOIN video v ON v.id = s.video_id WHERE s.id = $1)`,
  payment: `WITH hit AS (SELECT account_id, 'billing' AS page, NULL AS subject FROM payment WHERE id = $1)`,
  approval: `WITH hit AS (SELECT account_id, 'billing' AS page, NULL AS subject FROM support_approval WHERE id = $1)`,
  'quota-request': `WITH hit AS (SELECT account_id, 'keys' AS page, key_id AS subject FROM quota_request WHERE id = $1)`,
  invitation: `WITH hit AS (SELECT account_id, 'overview' AS page, NULL AS subject FROM invitation WHERE id = $1)`,
  // The request that issued it and those that exchanged it, the latest first.
  token: `WITH hit AS (SELECT account_id, 'requests' AS page, id AS subject FROM request_log WHERE token_id = $1 ORDER BY at DESC LIMIT 20)`,
  words: `WITH hit AS (
    SELECT id AS account_id, 'overview' AS page, NULL AS subject FROM account WHERE ${matches('name', '$1')}
    UNION SELECT m.account_id, 'overview', NULL FROM app_user u JOIN membership m ON m.user_id = u.id WHERE ${matches('u.email', '$1')})`,
}

const SHOWN = `
  SELECT a.id AS "accountId", a.name, a.tier, a.suspended_at IS NOT NULL AS suspended, hit.page, hit.subject, (
    SELECT u.email FROM membership m JOIN app_user u ON u.id = m.user_id
    WHERE m.account_id = a.id AND m.role = 'OWNER' ORDER BY m.created_at, u.id LIMIT 1) AS owner
  FROM hit JOIN account a ON a.id = hit.account_id AND a.deleted_at IS NULL ORDER BY ${alphabetical('a.name')}, a.id, hit.subject LIMIT $2`
