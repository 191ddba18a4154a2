import { serviceNow } from '../../platform/clock.ts'
import { query } from '../../platform/database.ts'
import { log } from '../../platform/log.ts'
import { notifications } from '../../platform/notifications.ts'
import { processRegistry } from '../../platform/process-registry.ts'
import { processWide } from '../../platform/process-wide.ts'
import { acceptedOf } from './accepted.ts'
import { isRefused } from './authenticate.ts'

/** How often it is asked what this process has not answered yet: a notice may be lost. */
const LOOK_MS = 2_000
/** For so long after its answer a process corrects it, should a look-up that began before have let a request through. */
const CORRECT_MS = 60_000

interface Stop {
  id: string
  keyId: string
  /** SHA-256 of the key's value, hexadecimal. */
  hash: string
}

/**
 * Answers, for this process, when it stopped accepting a key and which request it let through last. Asked by the trigger
 * note_key_stop() with a notice; an answer is a row of `key_stop_process`.
 */
class KeyStops {
  private readonly underWay = new Set<string>()
  private readonly answered = new Map<string, { keyId: string; accepted: number; until: number }>()
  private timer: NodeJS.Timeout | undefined
  private unhear: (() => void) | undefined

  start(): void {
    this.unhear ??= notifications().on('key-stop', (subject) => {
      const [id = '', keyId = '', hash = ''] = subject.split(':')
      void this.answer({ id, keyId, hash })
    })
    this.timer ??= setInterval(() => void this.look(), LOOK_MS).unref()
  }

  stop(): void {
    this.unhear?.()
    clearInterval(this.timer)
    this.timer = undefined
  }

  private async answer({ id, keyId, hash }: Stop): Promise<void> {
    if (this.underWay.has(id) || this.answered.has(id)) return
    this.underWay.add(id)
    try {
      // Enabled again meanwhile: there is no moment to tell of.
      if (!(await isRefused(hash))) return
      const refusedAt = serviceNow()
      const accepted = acceptedOf(keyId).at
      this.answered.set(id, { keyId, accepted, until: performance.now() + CORRECT_MS })
      await query('key-stop-answer', ANSWER, [id, processRegistry().id, refusedAt, byService(accepted)])
    } catch (error) {
      this.answered.delete(id)
      log().warn({ err: (error as Error).message, keyId }, 'a stopped key could not be confirmed yet')
    } finally {
      this.underWay.delete(id)
    }
  }

  private async look(): Promise<void> {
    try {
      for (const stop of await query<Stop & { [column: string]: unknown }>('key-stops-waiting', WAITING, [processRegistry().id])) {
        // Its answer did not arrive, or was taken back by a crash of the database.
        if (!this.underWay.has(stop.id)) this.answered.delete(stop.id)
        await this.answer(stop)
      }
      await this.correct()
    } catch (error) {
      log().warn({ err: (error as Error).message }, 'stopped keys could not be looked for')
    }
  }

  private async correct(): Promise<void> {
    for (const [id, sent] of this.answered) {
      if (performance.now() > sent.until) this.answered.delete(id)
      const { at } = acceptedOf(sent.keyId)
      if (at === sent.accepted) continue
      sent.accepted = at
      await query('key-stop-correct', CORRECT, [id, processRegistry().id, byService(at)])
    }
  }
}

/** A moment of this process's clock by the database's; null for never. */
const byService = (at: number) => (at === 0 ? null : at + serviceNow() - Date.now())

// A process's idea of the database's clock may be milliseconds early; nothing is refused before it was stopped.
const ANSWER = `
  UPDATE key_stop_process p SET refused_at = GREATEST(s.at, to_timestamp($3::float8 / 1000)), last_accepted_at = to_timestamp($4::float8 / 1000)
  FROM key_stop s WHERE s.id = p.stop_id AND p.stop_id = $1 AND p.process_id = $2 AND p.refused_at IS NULL`
// A key that is enabled again is accepted again; only what is revoked is refused for good.
const CORRECT = `
  UPDATE key_stop_process p SET last_accepted_at = to_timestamp($3::float8 / 1000),
    refused_at = GREATEST(p.refused_at, to_timestamp($3::float8 / 1000))
  FROM key_stop s WHERE s.id = p.stop_id AND s.kind = 'key.revocation' AND p.stop_id = $1 AND p.process_id = $2`
const WAITING = `
  SELECT p.stop_id AS id, s.key_id AS "keyId", encode(k.hash, 'hex') AS hash
  FROM key_stop_process p JOIN key_stop s ON s.id = p.stop_id JOIN api_key k ON k.id = s.key_id
  WHERE p.process_id = $1 AND p.refused_at IS NULL AND p.ended_at IS NULL`

export const keyStops = () => processWide('key-stops', () => new KeyStops())
