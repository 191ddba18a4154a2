import type { AccountId } from '../../context.ts'
import type { Tx } from '../../platform/database/database.ts'
import { appendVideoLog } from './append-log.ts'
import type { Metadata } from './metadata-schema.ts'

/** Fields of a video that its creator chose before it existed. */
export interface VideoFields {
  title?: string | undefined
  description?: string | undefined
  metadata?: Metadata | undefined
  externalId?: string | null | undefined
}

/**
 * Sets the fields of a video that are given, in the transaction that creates it. A video whose external id was taken meanwhile has none, which
 * its log states: its file is not lost for that.
 */
export async function applyVideoFields(
  tx: Tx,
  { id, accountId }: { id: string; accountId: AccountId },
  { title, description, metadata, externalId }: VideoFields,
): Promise<void> {
  const isTaken = externalId ? (await tx.video.count({ where: { accountId, externalId, deletedAt: null } })) > 0 : false
  if (isTaken) await appendVideoLog(tx, id, 'upload', `Another video has the externalId “${externalId}”, so this one has none.`)
  const data = {
    ...(title === undefined ? {} : { title }),
    ...(description ? { description } : {}),
    ...(metadata ? { metadata } : {}),
    ...(externalId && !isTaken ? { externalId } : {}),
  }
  if (Object.keys(data).length > 0) await tx.video.update({ where: { id }, data })
}
