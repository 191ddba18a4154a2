import { db } from '../infra/db.ts'
import { log } from '../infra/log.ts'
import { openContentKey, sealContentKey, sealingKid, sealPrefix } from './content-key.ts'

const BATCH = 200

/**
 * Seals the content keys that stand under an older master key under the first one, so that the older can be taken away. Runs as the
 * job `key.rewrap`; safe beside playback, other workers and itself. Resolves with how many were sealed anew and how many cannot be
 * opened, because their master key is not among ours.
 */
export async function rewrapContentKeys(signal: AbortSignal): Promise<{ sealed: number; unreadable: number }> {
  const prefix = sealPrefix(sealingKid())
  let [sealed, unreadable, after] = [0, 0, '']
  for (;;) {
    signal.throwIfAborted()
    const rows = await db().$queryRaw<{ id: string; content_key: Uint8Array }[]>`
      SELECT id, content_key FROM video
      WHERE id > ${after} AND content_key IS NOT NULL AND substring(content_key FROM 1 FOR ${prefix.length}) <> ${prefix}
      ORDER BY id LIMIT ${BATCH}`
    for (const { id, content_key: before } of rows) {
      const key = tryToOpen(before, id)
      if (!key) unreadable++
      // Only what still stands as it was read: the video may have been transcoded anew meanwhile.
      else
        sealed += await db()
          .$executeRaw`UPDATE video SET content_key = ${sealContentKey(key, id)} WHERE id = ${id} AND content_key = ${before}`
    }
    after = rows.at(-1)?.id ?? ''
    if (rows.length < BATCH) break
  }
  if (sealed > 0) log().info({ sealed, kid: sealingKid() }, 'content keys are sealed under the first master key')
  if (unreadable > 0) log().error({ unreadable }, 'content keys are sealed under a master key that MASTER_KEYS does not name')
  return { sealed, unreadable }
}

function tryToOpen(stored: Uint8Array, videoId: string): Buffer | undefined {
  try {
    return openContentKey(stored, videoId)
  } catch {
    return undefined
  }
}
