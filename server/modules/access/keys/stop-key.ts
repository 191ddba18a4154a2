import type { AccountCtx } from '../../../context.ts'
import { query } from '../../../platform/database/database.ts'
import { latestSessionEnd, TOKEN_LIFETIME_SEC } from './validity.ts'

/** A process's report on a key that was revoked or disabled. */
export interface ProcessReport {
  id: string
  host: string
  pid: number
  version: string
  startedAt: Date
  /**
   * `confirmed`: it has refused the key since `refusedAt`. `waiting`: notified less than ANSWER_SEC ago. `unconfirmed`: notified, but has
   * not reported since. `ended`: the process stopped before it reported.
   */
  state: 'confirmed' | 'waiting' | 'unconfirmed' | 'ended'
  refusedAt: Date | null
  /** The last request with the key that it accepted. Null if none since it started, or before its report. */
  lastAcceptedAt: Date | null
  /** When the process was last seen running. */
  lastSeenAt: Date
}

/** How a key stopped working: the content of a revocation receipt. */
export interface KeyStop {
  id: string
  keyId: string
  keyPrefix: string
  kind: 'key.revocation' | 'key.disabled'
  at: Date
  processes: ProcessReport[]
  /** The latest of all processes. Null if none accepted a request. */
  lastAcceptedAt: Date | null
  /** Until when tokens issued earlier, and playback sessions opened with them, stay valid. Null for a key that could issue none. */
  stillValid: { tokensUntil: Date; sessionsUntil: Date } | null
}

/** Seconds that a running process has to report before it shows as unconfirmed. */
export const REPORT_SEC = 5

interface Row extends Omit<KeyStop, 'processes' | 'lastAcceptedAt' | 'stillValid'> {
  issues: boolean
  longest: number
}

/** Returns the key's last stop, or the stop with this ID. Undefined if the account has no such stop. */
export async function readKeyStop(
  ctx: Pick<AccountCtx, 'accountId'>,
  which: { keyId: string } | { id: string },
): Promise<KeyStop | undefined> {
  const { keyId = null, id = null } = which as { keyId?: string; id?: string }
  const [row] = await query<Row & { [column: string]: unknown }>('key-stop', STOP, [ctx.accountId, keyId, id, TOKEN_LIFETIME_SEC])
  if (!row) return undefined
  const processes = await query<ProcessReport & { [column: string]: unknown }>('key-stop-answers', PROCESS_REPORTS, [row.id, REPORT_SEC])
  const { issues, longest, ...stop } = row
  const accepted = processes.flatMap(({ lastAcceptedAt }) => lastAcceptedAt ?? [])
  const tokensUntil = new Date(row.at.getTime() + TOKEN_LIFETIME_SEC * 1_000)
  return {
    ...stop,
    processes,
    lastAcceptedAt: accepted.length > 0 ? new Date(Math.max(...accepted.map((date) => date.getTime()))) : null,
    stillValid: issues ? { tokensUntil, sessionsUntil: latestSessionEnd(tokensUntil, longest) } : null,
  }
}

const STOP = `
  SELECT s.id, s.key_id AS "keyId", k.prefix AS "keyPrefix", s.kind, s.at, 'video:read' = ANY (k.scopes) AS issues,
    coalesce((SELECT max(duration_sec) FROM video v WHERE v.account_id = s.account_id AND v.created_at < s.at + make_interval(secs => $4)), 0) AS longest
  FROM key_stop s JOIN api_key k ON k.id = s.key_id
  WHERE s.account_id = $1 AND ($2::text IS NULL OR s.key_id = $2) AND ($3::text IS NULL OR s.id = $3) ORDER BY s.at DESC, s.id LIMIT 1`

const PROCESS_REPORTS = `
  SELECT s.process_id AS id, s.host, s.pid, s.version, s.started_at AS "startedAt", s.refused_at AS "refusedAt",
    s.last_accepted_at AS "lastAcceptedAt", GREATEST(s.last_seen_at, p.heartbeat_at) AS "lastSeenAt",
    CASE WHEN s.refused_at IS NOT NULL THEN 'confirmed' WHEN s.ended_at IS NOT NULL THEN 'ended'
      WHEN stop.at > service_clock() - make_interval(secs => $2) THEN 'waiting' ELSE 'unconfirmed' END AS state
  FROM key_stop_process s JOIN key_stop stop ON stop.id = s.stop_id LEFT JOIN process p ON p.id = s.process_id
  WHERE s.stop_id = $1 ORDER BY s.host, s.started_at, s.process_id`
