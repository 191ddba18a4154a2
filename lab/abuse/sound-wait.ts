import { setTimeout as wait } from 'node:timers/promises'
import { pool } from '../../server/platform/database/database.ts'
import type { Row } from '../report.ts'
import type { Bystander } from './accounts.ts'
import type { Attacker } from './service.ts'
import { contentOf, type Target, upload } from './target.ts'
import { subtitledVideos } from './transcode-queue.ts'

const ROUNDS = process.argv.includes('--short') ? 1 : 3
/** An upload by the bystander begins so long after them: their sound is encoded by then. */
const AFTER_MS = 4_000
const ATTACK_MS = 30_000
const PATIENCE_MS = 120_000
/** The bound: so many times as long as without them, or as one task of another account takes. */
const WITHIN = 3
const WITHIN_MS = 5_000

/** Measures how long the audio of a bystander's video waits for a worker while another account's videos are processed. */
export async function soundWait(target: Target, bystander: Bystander, attacker: Attacker, settle: () => Promise<void>): Promise<Row> {
  let [without, during] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    without = Math.max(without, await waitOfSound(target, bystander))
    const attack = attacker.attack(subtitledVideos.name, ATTACK_MS)
    await wait(AFTER_MS)
    during = Math.max(during, await waitOfSound(target, bystander))
    await attack
    await settle()
  }
  const bound = Math.max(WITHIN * without, WITHIN_MS)
  return {
    work: `wait of another account's sound in ${subtitledVideos.name}`,
    baseline: `${WITHIN} × ${Math.round(without)} ms, or ${WITHIN_MS}`,
    ...{ rate: during, ceiling: bound, ratio: during / bound, reach: 1, below: true, unit: 'ms' },
  }
}

/** Uploads a video with sound. Returns the milliseconds for which its sound was due before a worker began it. */
async function waitOfSound(target: Target, { cookie, key, clip, ctx }: Bystander): Promise<number> {
  const content = contentOf(clip)
  const status = await upload({ ...target, cookie, key }, 'clip.mp4', content, content.length, AbortSignal.timeout(PATIENCE_MS))
  if (status !== 204) throw new Error(`The bystander's upload returned ${status}.`)
  const until = performance.now() + PATIENCE_MS
  const seen = new Map<string, number>()
  for (;;) {
    const { rows } = await pool().query<{ id: string; status: string; waited: number | null }>(
      `SELECT v.id, v.status, (extract(epoch FROM t.started_at - t.due_at) * 1000)::float8 AS waited
       FROM video v LEFT JOIN transcode_task t ON t.media_id = v.media_id AND t.kind = 'audio'
       WHERE v.account_id = $1 AND v.media_id IS NOT NULL ORDER BY v.created_at DESC LIMIT 1`,
      [ctx.accountId],
    )
    const [row] = rows
    if (row?.waited != null) seen.set(row.id, row.waited)
    const waited = row && seen.get(row.id)
    if (waited !== undefined && waited !== null) return waited
    if (performance.now() > until) throw new Error(`No worker took the audio of the bystander's video within ${PATIENCE_MS / 1_000} s.`)
    await wait(50)
  }
}
