import type { AccountCtx } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import type { Tx } from '../../platform/database/database.ts'
import { type Change, record, type Snapshot } from '../audit/record.ts'
import { requireRecordSpace } from '../identity/accounts/records.ts'
import type { Metadata } from './metadata-schema.ts'

/** What the owner states about a video. */
export interface VideoText {
  title: string
  description: string | null
  externalId: string | null
  metadata: Metadata
}

/**
 * Writes changed values of a video that the transaction holds, with an audit entry of what differs; undefined values stay. Errors:
 * EXTERNAL_ID_IN_USE (`details.videoId`), TOO_MANY_ATTEMPTS when the account or its audit log has no room.
 */
export async function changeVideo(
  tx: Tx,
  ctx: AccountCtx,
  { videoId, before, after }: { videoId: string; before: VideoText; after: Partial<VideoText> },
): Promise<void> {
  const changed = differences(before, { ...before, ...defined(after) })
  if (!changed) return
  const growth = textBytes({ ...before, ...defined(after) }) - textBytes(before)
  if (growth > 0) await requireRecordSpace(tx, ctx.accountId, 'metadataBytes', growth)
  const { externalId } = after
  if (externalId && externalId !== before.externalId) await requireFreeExternalId(tx, ctx, externalId)
  await tx.video.update({ where: { id: videoId, accountId: ctx.accountId }, data: defined(after) })
  await record(tx, ctx, { action: 'video.edit', subject: videoId, ...changed })
}

const defined = (values: Partial<VideoText>): Partial<VideoText> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** About what `video_text_bytes` in the database counts, which decides what is left. */
const textBytes = ({ metadata, ...texts }: VideoText) =>
  Buffer.byteLength(JSON.stringify({ metadata, ...texts })) + METADATA_ROW_BYTES * Object.keys(metadata).length
const METADATA_ROW_BYTES = 250

/** Returns the values that differ, metadata by name; undefined when none does. */
function differences(before: VideoText, after: VideoText): Pick<Change, 'before' | 'after'> | undefined {
  const [old, present] = [flat(before), flat(after)]
  const names = [...new Set([...Object.keys(old), ...Object.keys(present)])].filter(
    (name) => (old[name] ?? null) !== (present[name] ?? null),
  )
  if (names.length === 0) return undefined
  const pick = (values: Snapshot) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]))
  return { before: pick(old), after: pick(present) }
}

const flat = ({ metadata, ...texts }: VideoText): Snapshot => ({
  ...texts,
  ...Object.fromEntries(Object.entries(metadata).map(([name, text]) => [`metadata.${name}`, text])),
})

/** Errors: EXTERNAL_ID_IN_USE, unless no video of the account has the id. */
export async function requireFreeExternalId(
  tx: Pick<Tx, 'video'>,
  { accountId }: Pick<AccountCtx, 'accountId'>,
  externalId: string,
): Promise<void> {
  const other = await tx.video.findFirst({ where: { accountId, externalId, deletedAt: null }, select: { id: true } })
  if (other) throw new ServiceError('EXTERNAL_ID_IN_USE', { details: { externalId, videoId: other.id } })
}

/** Returns whether a change failed because a concurrent one took the external id first: the unique index refused it. */
export const isExternalIdTaken = (error: unknown) => (error as { code?: string }).code === 'P2002'

/** Converts such a failure to EXTERNAL_ID_IN_USE. */
export function orExternalIdInUse(error: unknown): never {
  throw isExternalIdTaken(error) ? new ServiceError('EXTERNAL_ID_IN_USE') : error
}
