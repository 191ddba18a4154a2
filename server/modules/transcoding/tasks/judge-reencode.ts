import type { Tx } from '../../../platform/database/database.ts'
import { megabytes } from '../../../platform/megabytes.ts'
import { appendVideoLog } from '../../videos/append-log.ts'
import { dropReplacement } from '../../videos/drop-replacement.ts'
import { type TranscodeLease, whileHeld } from './lease.ts'
import type { StoredAudio, StoredIframes, StoredRendition } from './store.ts'

/** Largest share of the former bytes with which new renditions are worth the change of every segment. */
const WORTH = 0.95

export interface Encoded {
  renditions: readonly StoredRendition[]
  audio: readonly StoredAudio[]
  iframes: readonly StoredIframes[]
}

export interface Verdict {
  isBetter: boolean
  /** Says it to the owner. */
  text: string
}

/**
 * Returns whether what was encoded again replaces the renditions of `mediaId`: when it has all of their qualities in fewer bytes. Its own options are at
 * equal quality.
 */
export async function judgeReencode(
  on: Pick<Tx, 'rendition' | 'audioRendition' | 'iframeRendition'>,
  mediaId: string,
  { renditions, audio, iframes }: Encoded,
): Promise<Verdict> {
  const of = { where: { mediaId }, select: { bytes: true } }
  const former = [
    ...(await on.rendition.findMany({ where: { mediaId, codec: 'h264' }, select: { bytes: true, quality: true } })),
    ...(await on.audioRendition.findMany(of)),
    ...(await on.iframeRendition.findMany(of)),
  ]
  const before = former.reduce((sum, one) => sum + Number(one.bytes), 0)
  const after = [...renditions, ...audio, ...iframes].reduce((sum, one) => sum + one.bytes, 0)
  const lost = former.flatMap((one) =>
    'quality' in one && !renditions.some(({ quality }) => quality === one.quality) ? [one.quality] : [],
  )
  const sizes = `${megabytes(after)} instead of ${megabytes(before)}`
  if (lost.length > 0) return { isBetter: false, text: `Re-encoding made no ${lost.join(', ')}. The video stays as it is.` }
  if (after > before * WORTH) return { isBetter: false, text: `Re-encoding saves too little (${sizes}). The video stays as it is.` }
  return { isBetter: true, text: `Re-encoded: ${sizes} (${Math.round((1 - after / before) * 100)} % less).` }
}

/** Drops what was encoded again, and says why in the log of the video, which stays as it is. Returns false when the lease is lost. */
export async function declineReencode(lease: TranscodeLease, text: string): Promise<boolean> {
  const { accountId, videoId } = lease
  const declined = await whileHeld(lease, async (tx) => {
    await appendVideoLog(tx, videoId, 'complete', text)
    await dropReplacement(tx, { accountId, videoId }, { code: 'CANCELLED', reason: text })
    return true
  })
  return declined ?? false
}
