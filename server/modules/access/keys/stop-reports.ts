import { services } from '../../../platform/container.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { query, vital } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { log } from '../../../platform/observe/log.ts'
import { processRegistry } from '../../../platform/process-registry.ts'
import { acceptedOf } from './active.ts'
import { isRefused } from './authenticate.ts'

/** How often to query for stops that this process has not reported on, since a notice may be lost. */
const POLL_MS = 2_000
/** How long after its report a process corrects it, if a lookup that started earlier accepted a request. */
const CORRECTION_MS = 60_000

interface Stop {
  id: string
  keyId: string
  /** SHA-256 of the key's value, hexadecimal. */
  hash: string
}

/**
 * Reports when this process stopped accepting a key, and which request it accepted last. The trigger note_key_stop() sends the notice; a
 * report is a row of `key_stop_process`.
 */
export class KeyStops {
  private readonly running = new Set<string>()
  private readonly reported = new Map<string, { keyId: string; accepted: number; until: number }>()
  private timer: NodeJS.Timeout | undefined
  private unsubscribe: (() => void) | undefined

  start(): void {
    this.unsubscribe ??= notifications().on('key-stop', (subject) => {
      const [id = '', keyId = '', hash = ''] = subject.split(':')
      void this.report({ id, keyId, hash })
    })
    this.timer ??= setInterval(() => void this.poll(), POLL_MS).unref()
  }

  stop(): void {
    this.unsubscribe?.()
    clearInterval(this.timer)
    this.timer = undefined
  }

  private async report({ id, keyId, hash }: Stop): Promise<void> {
    if (this.running.has(id) || this.reported.has(id)) return
    this.running.add(id)
    try {
      // The key was enabled again in the meantime, so there is no refusal to report.
      if (!(await isRefused(hash))) return
      const refusedAt = serviceNow()
      const accepted = acceptedOf(keyId).at
      this.reported.set(id, { keyId, accepted, until: performance.now() + CORRECTION_MS })
      await query('key-stop-answer', REPORT, [id, processRegistry().id, refusedAt, byService(accepted)], vital())
    } catch (error) {
      this.reported.delete(id)
      log().warn({ err: (error as Error).message, keyId }, 'could not confirm yet that every process rejects a revoked or disabled key')
    } finally {
      this.running.delete(id)
    }
  }

  private async poll(): Promise<void> {
    try {
      for (const stop of await query<Stop & { [column: string]: unknown }>('key-stops-waiting', WAITING, [processRegistry().id], vital())) {
        // The report was not stored, or a database crash lost it.
        if (!this.running.has(stop.id)) this.reported.delete(stop.id)
        await this.report(stop)
      }
      await this.correct()
    } catch (error) {
      log().warn({ err: (error as Error).message }, 'revoked and disabled keys could not be read')
    }
  }

  private async correct(): Promise<void> {
    for (const [id, sent] of this.reported) {
      if (performance.now() > sent.until) this.reported.delete(id)
      const { at } = acceptedOf(sent.keyId)
      if (at === sent.accepted) continue
      sent.accepted = at
      await query('key-stop-correct', CORRECT, [id, processRegistry().id, byService(at)], vital())
    }
  }
}

/** Converts a time on this process's clock to the database's clock. Null for never. */
const byService = (at: number) => (at === 0 ? null : at + serviceNow() - Date.now())

// A process's estimate of the database's clock may be milliseconds early, but a refusal is never earlier than the stop.
const REPORT = `
  UPDATE key_stop_process p SET refused_at = GREATEST(s.at, to_timestamp($3::float8 / 1000)), last_accepted_at = to_timestamp($4::float8 / 1000)
  FROM key_stop s WHERE s.id = p.stop_id AND p.stop_id = $1 AND p.process_id = $2 AND p.refused_at IS NULL`
// A disabled key works again once enabled; only a revocation is permanent.
const CORRECT = `
  UPDATE key_stop_process p SET last_accepted_at = to_timestamp($3::float8 / 1000),
    refused_at = GREATEST(p.refused_at, to_timestamp($3::float8 / 1000))
  FROM key_stop s WHERE s.id = p.stop_id AND s.kind = 'key.revocation' AND p.stop_id = $1 AND p.process_id = $2`
const WAITING = `
  SELECT p.stop_id AS id, s.key_id AS "keyId", encode(k.hash, 'hex') AS hash
  FROM key_stop_process p JOIN key_stop s ON s.id = p.stop_id JOIN api_key k ON k.id = s.key_id
  WHERE p.process_id = $1 AND p.refused_at IS NULL AND p.ended_at IS NULL`

declare module '../../../platform/container.ts' {
  interface Services {
    keyStops: KeyStops
  }
}

export const keyStops = () => services().keyStops
