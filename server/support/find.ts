import { sha256 } from '../infra/crypto.ts'
import { db, query } from '../infra/db.ts'
import { isKeyValue, PREFIX_LENGTH } from '../key/format.ts'
import type { FindInput, SupportPage } from './schema.ts'
import { type StaffCtx, stillStaff } from './staff.ts'

/** An account that was found, and the part of it where what was looked for stands. */
export interface Found {
  accountId: string
  name: string
  tier: 'FREE' | 'PAID'
  /** Its first owner's e-mail address. */
  owner: string | null
  page: SupportPage
  /** The video, key or request that was looked for; null when the account itself was. */
  subject: string | null
}

/** What was looked for, in a word, and the accounts it belongs to; at most 20. */
export interface FindAnswer {
  by: Look['by']
  found: Found[]
}

const MOST = 20

/**
 * Finds accounts by name, e-mail address, key prefix, the id of an account, user, key, video, request or playback token, or a pasted key or
 * token (of which a hash or the id is taken here; they are neither stored nor logged). What is shown is how accounts are called; opening one
 * is what their audit log tells.
 */
export async function findAccounts(staff: StaffCtx, { text }: FindInput): Promise<FindAnswer> {
  await stillStaff(db(), staff)
  const look = lookFor(text)
  const rows = await query<Found>(`support-find-${look.by}`, `${FOUND[look.by]} ${SHOWN}`, [look.value, MOST])
  return { by: look.by, found: rows }
}

interface Look {
  by: 'account' | 'user' | 'key' | 'key-value' | 'key-prefix' | 'video' | 'request' | 'token' | 'words'
  value: string | Buffer
}

/** Told by the form of what was typed: ids and keys say what they are. */
function lookFor(text: string): Look {
  if (isKeyValue(text)) return { by: 'key-value', value: Buffer.from(sha256(text)) }
  if (/^ak_(live|test)_\w+…?$/.test(text)) return { by: 'key-prefix', value: text.replace('…', '').slice(0, PREFIX_LENGTH) }
  if (text.startsWith('acc_')) return { by: 'account', value: text }
  if (text.startsWith('usr_')) return { by: 'user', value: text }
  if (text.startsWith('key_')) return { by: 'key', value: text }
  if (text.startsWith('vid_')) return { by: 'video', value: text }
  if (text.startsWith('req_')) return { by: 'request', value: text }
  if (text.startsWith('tok_')) return { by: 'token', value: text }
  if (text.startsWith('pt_')) return { by: 'token', value: tokenId(text) }
  return { by: 'words', value: `%${text.replace(/[\\%_]/g, '\\$&')}%` }
}

/** The id in a pasted playback token, whatever its signature: it only leads to what the log has of it. Empty when there is none. */
function tokenId(token: string): string {
  try {
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { jti?: unknown }
    return typeof jti === 'string' ? jti : ''
  } catch {
    return ''
  }
}

/** For each kind of thing, where it stands: the account, its page, and its id there. `$1` is what was typed. */
const FOUND: Record<Look['by'], string> = {
  account: `WITH hit AS (SELECT id AS account_id, 'overview' AS page, NULL AS subject FROM account WHERE id = $1)`,
  user: `WITH hit AS (SELECT account_id, 'overview' AS page, NULL AS subject FROM membership WHERE user_id = $1)`,
  key: `WITH hit AS (SELECT account_id, 'keys' AS page, id AS subject FROM api_key WHERE id = $1)`,
  'key-value': `WITH hit AS (SELECT account_id, 'keys' AS page, id AS subject FROM api_key WHERE hash = $1)`,
  // A prefix has 12 characters; fewer are the beginning of many.
  'key-prefix': `WITH hit AS (SELECT account_id, 'keys' AS page, id AS subject FROM api_key WHERE prefix LIKE replace($1, '_', '\\_') || '%')`,
  video: `WITH hit AS (SELECT account_id, 'videos' AS page, id AS subject FROM video WHERE id = $1)`,
  request: `WITH hit AS (SELECT account_id, 'requests' AS page, id AS subject FROM request_log WHERE id = $1)`,
  // The call that issued it and those that exchanged it, the latest first.
  token: `WITH hit AS (SELECT account_id, 'requests' AS page, id AS subject FROM request_log WHERE token_id = $1 ORDER BY at DESC LIMIT 20)`,
  words: `WITH hit AS (
    SELECT id AS account_id, 'overview' AS page, NULL AS subject FROM account WHERE name ILIKE $1
    UNION SELECT m.account_id, 'overview', NULL FROM app_user u JOIN membership m ON m.user_id = u.id WHERE u.email ILIKE $1)`,
}

const SHOWN = `
  SELECT a.id AS "accountId", a.name, a.tier, hit.page, hit.subject, (
    SELECT u.email FROM membership m JOIN app_user u ON u.id = m.user_id
    WHERE m.account_id = a.id AND m.role = 'OWNER' ORDER BY m.created_at, u.id LIMIT 1) AS owner
  FROM hit JOIN account a ON a.id = hit.account_id ORDER BY a.name, a.id, hit.subject LIMIT $2`
