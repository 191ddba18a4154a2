import type { Tx } from '../../platform/database.ts'
import type { VideoMetadata } from './fields-schema.ts'

/** Fields of a video that its creator chose before it existed. */
export interface VideoFields {
  title?: string | undefined
  description?: string | undefined
  metadata?: VideoMetadata | undefined
  externalId?: string | undefined
}

/** Sets the fields of a video that are given, in the transaction that creates it. */
export async function applyVideoFields(tx: Tx, videoId: string, { title, description }: VideoFields): Promise<void> {
  const data = { ...(title === undefined ? {} : { title }), ...(description ? { description } : {}) }
  if (Object.keys(data).length > 0) await tx.video.update({ where: { id: videoId }, data })
}
