import { hostname } from 'node:os'
import { version } from './config/version.ts'
import { services } from './container.ts'
import { query } from './database/database.ts'
import { notifications } from './database/notifications.ts'
import { log } from './observe/log.ts'
import { newId } from './secrets/crypto.ts'
import { applyMove, type MediaMove, MOVE, mediaMove } from './storage/media-move.ts'
import { openStore, ownLocation } from './storage/storage.ts'

const BEAT_MS = 5_000
/** A process without a heartbeat for this long is considered dead. Also in note_key_stop(), in prisma/routines. */
export const SILENT_SEC = 30
/** A dead process without a successor is listed for this long, so that an operator learns of a lost machine. */
const LOST_SEC = 24 * 3_600

/** This process's row in the table of running processes. */
export class ProcessRegistry {
  readonly id = newId('prc')
  private timer: NodeJS.Timeout | undefined
  private roles: readonly string[] = []
  private fault: string | undefined
  private unsubscribe: (() => void) | undefined

  /** Writes the row, and resolves once it is stored. Call it before accepting requests. */
  async join(roles: readonly string[]): Promise<void> {
    this.roles = roles
    await this.beat()
    this.timer ??= setInterval(() => this.beatOrLog(), BEAT_MS).unref()
    this.unsubscribe ??= notifications().on('media-move', () => this.beatOrLog())
  }

  /** Removes the row, and marks unanswered questions to this process as ended. */
  async leave(): Promise<void> {
    if (!this.timer) return
    clearInterval(this.timer)
    this.timer = undefined
    this.unsubscribe?.()
    await query('process-leave', LEAVE, [this.id])
  }

  /** Records why this process's worker takes no videos. Undefined once it takes them again. */
  setFault(fault: string | undefined): void {
    this.fault = fault
    if (this.timer) this.beatOrLog()
  }

  private beatOrLog(): void {
    this.beat().catch((error: Error) => log().warn({ err: error.message }, 'could not update the process registry'))
  }

  private async beat(): Promise<void> {
    const applied = mediaMove()?.phase ?? ''
    const values = [
      this.id,
      hostname(),
      process.pid,
      this.roles,
      version(),
      SILENT_SEC,
      this.fault ?? null,
      ownLocation(),
      applied,
      LOST_SEC,
    ]
    const [row] = await query<{ move: MediaMove | null }>('process-beat', BEAT, values)
    const move = row?.move ?? undefined
    applyMove(move, openStore)
    // An operator's command is waiting for every process to apply the next phase.
    if ((move?.phase ?? '') !== applied) await this.beat()
  }
}

/**
 * Renews the row, also one that was removed while this process was stopped. Removes dead processes' rows once a process of the same machine
 * and role succeeds them, or long after.
 */
const BEAT = `
  WITH dead AS (
    DELETE FROM process p WHERE id <> $1 AND heartbeat_at < service_clock() - make_interval(secs => $6)
      AND (heartbeat_at < service_clock() - make_interval(secs => $10) OR EXISTS (
        SELECT FROM process s WHERE s.host = p.host AND s.roles @> p.roles AND s.started_at > p.heartbeat_at
          AND s.heartbeat_at > service_clock() - make_interval(secs => $6)))
    RETURNING id, heartbeat_at),
  last AS (
    UPDATE key_stop_process s SET last_seen_at = dead.heartbeat_at FROM dead
    WHERE s.process_id = dead.id AND s.refused_at IS NULL AND s.ended_at IS NULL)
  INSERT INTO process (id, host, pid, roles, version, fault, storage, move_applied)
  VALUES ($1, $2, $3, $4, $5, $7, $8, $9)
  ON CONFLICT (id) DO UPDATE SET heartbeat_at = service_clock(), fault = $7, storage = $8, move_applied = $9
  RETURNING ${MOVE} AS move`

const LEAVE = `
  WITH gone AS (DELETE FROM process WHERE id = $1)
  UPDATE key_stop_process SET ended_at = service_clock() WHERE process_id = $1 AND refused_at IS NULL AND ended_at IS NULL`

declare module './container.ts' {
  interface Services {
    processRegistry: ProcessRegistry
  }
}

/** Returns this process's entry among the running processes. */
export const processRegistry = () => services().processRegistry
