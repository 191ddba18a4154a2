import type { Tx } from '../../platform/database/database.ts'
import { emit } from '../webhooks/endpoints/emit.ts'
import { PLANNED_QUALITIES } from './owned-video.ts'

interface Marked {
  retries: number
  durationSec: number
  qualities: string[]
  encrypted: boolean
  externalId: string | null
}

const MARK = `
  UPDATE media m SET playable_at = service_clock() FROM video, account
  WHERE video.id = $1 AND video.account_id = $2 AND m.id = video.media_id AND m.status = 'PROCESSING' AND m.playable_at IS NULL
    AND video.deleted_at IS NULL AND account.id = video.account_id AND account.plays_early AND ${PLANNED_QUALITIES} IS NOT NULL
  RETURNING video.retries, m.duration_sec AS "durationSec", ${PLANNED_QUALITIES} AS qualities, m.encrypted, video.external_id AS "externalId"`

/**
 * Makes a PROCESSING video playable from its beginning and emits `video.playable`, in the transaction that stored what plays. Returns
 * whether it became playable: not if it already is, has no plan, is deleted, or its account does not allow it. Emits the event once per
 * upload or retry.
 */
export async function markPlayable(tx: Tx, { accountId, videoId }: { accountId: string; videoId: string }): Promise<boolean> {
  const [marked] = await tx.$queryRawUnsafe<Marked[]>(MARK, videoId, accountId)
  if (!marked) return false
  const { retries, ...video } = marked
  await emit(tx, accountId, 'video.playable', { videoId, ...video }, { dedupeKey: `${videoId}:${retries}` })
  return true
}
