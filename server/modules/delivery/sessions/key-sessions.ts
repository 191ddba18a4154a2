import { LRUCache } from 'lru-cache'
import { services } from '../../../platform/container.ts'
import { query, vital } from '../../../platform/database/database.ts'
import { deleteInSlices } from '../../../platform/database/delete-slices.ts'
import { asService } from '../../../platform/turns/caller.ts'

/** A playback session that used a key URL before it expired. `expiresAt`: its end in Unix seconds. */
export interface KeySession {
  /** Number of the last end before it, and its token's id, as its key URLs name it. */
  id: string
  videoId: string
  expiresAt: number
}

/** Sessions that a process remembers without reading their rows. */
const MAX_KNOWN = 100_000

/**
 * The sessions that used a key URL in time: rows of `playback_session`, written at a session's first key request, and a cache of them.
 * Concurrent first requests share a statement.
 */
export class KeySessions {
  /** When sessions end, in Unix seconds, by ID. Rows are deleted only after that. */
  private readonly known = new LRUCache<string, number>({ max: MAX_KNOWN })
  private writing: Promise<void> = Promise.resolve()
  private next: { sessions: Map<string, KeySession>; written: Promise<void> } | undefined

  /** Resolves once the session's row is stored, or extended after the session was renewed. */
  async remember(session: KeySession): Promise<void> {
    if ((this.known.get(session.id) ?? 0) >= session.expiresAt) return
    this.next ??= this.begin()
    this.next.sessions.set(session.id, session)
    await this.next.written
  }

  /** Returns whether a session used a key URL in time. */
  async isKnown(id: string): Promise<boolean> {
    if (this.known.has(id)) return true
    const [row] = await query<{ expiresAt: number }>(
      'playback-session-by-id',
      'SELECT extract(epoch FROM expires_at)::float8 AS "expiresAt" FROM playback_session WHERE id = $1',
      [id],
      vital(),
    )
    if (row) this.known.set(id, row.expiresAt)
    return row !== undefined
  }

  private begin() {
    const sessions = new Map<string, KeySession>()
    const write = () => {
      this.next = undefined
      return asService(() => this.write([...sessions.values()]))
    }
    const written = this.writing.then(write, write)
    this.writing = written
    return { sessions, written }
  }

  private async write(sessions: KeySession[]): Promise<void> {
    await query(
      'remember-playback-sessions',
      `INSERT INTO playback_session AS held (id, video_id, expires_at)
       SELECT id, video_id, to_timestamp(ends) FROM unnest($1::text[], $2::text[], $3::float8[]) AS given (id, video_id, ends) ORDER BY id
       ON CONFLICT (id) DO UPDATE SET expires_at = EXCLUDED.expires_at WHERE held.expires_at < EXCLUDED.expires_at`,
      [sessions.map(({ id }) => id), sessions.map(({ videoId }) => videoId), sessions.map(({ expiresAt }) => expiresAt)],
      vital(),
    )
    for (const { id, expiresAt } of sessions) this.known.set(id, expiresAt)
  }
}

declare module '../../../platform/container.ts' {
  interface Services {
    keySessions: KeySessions
  }
}

export const keySessions = () => services().keySessions

/** Deletes sessions that have ended. Runs with the job `session.sweep`. */
export async function pruneKeySessions(signal?: AbortSignal): Promise<void> {
  await deleteInSlices('playback_session', 'expires_at <= service_now()', [], signal)
}
