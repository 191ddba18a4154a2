import { isDeepStrictEqual } from 'node:util'
import type { AccountCtx, AccountId } from '../../context.ts'
import { changedMeanwhile, ServiceError } from '../../errors.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import { type Change, record, type Snapshot } from '../audit/record.ts'
import { requireRecordSpace } from '../identity/accounts/records.ts'
import { MAX_METADATA_KEYS, type Metadata, type PatchVideo, type SetMetadataInput, TOO_MUCH_METADATA } from './metadata-schema.ts'
import { getOwnedVideoForUpdate, requireVideoManagement } from './owned-video.ts'
import { type RenderedVideo, readVersion, requireMatch } from './presenter.ts'
import type { EditVideoInput } from './schema.ts'
import { appendVideoLog } from './video-log.ts'

/**
 * Changes a video's title and description. Errors: FORBIDDEN, VIDEO_NOT_FOUND, CONFLICT if they changed since `expected` (`details` has the
 * current values).
 */
export async function editVideo(ctx: AccountCtx, { videoId, title, description, expected }: EditVideoInput): Promise<void> {
  requireVideoManagement(ctx)
  await db().$transaction(async (tx) => {
    const before = await getOwnedVideoForUpdate(tx, ctx, videoId)
    if (before.title === title && before.description === description) return
    if (expected && (before.title !== expected.title || before.description !== expected.description))
      throw changedMeanwhile({ title: before.title, description: before.description })
    await changeVideo(tx, ctx, { videoId, before: { ...before, metadata: before.metadata as Metadata }, after: { title, description } })
  })
}

/**
 * Changes the given values of a video and returns it. Errors: FORBIDDEN, VIDEO_NOT_FOUND, PRECONDITION_FAILED unless it matches `ifMatch`,
 * INVALID_REQUEST for too much metadata, EXTERNAL_ID_IN_USE; for a key, also those of `requireStillPermitted`.
 */
export async function patchVideo(
  ctx: AccountCtx,
  { videoId, ifMatch, changes }: { videoId: string; ifMatch?: string | undefined; changes: PatchVideo },
): Promise<RenderedVideo> {
  requireVideoManagement(ctx)
  const patched = db().$transaction(async (tx) => {
    const { title, description, externalId, metadata } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    await requireMatch(tx, videoId, ifMatch)
    const before = { title, description, externalId, metadata: metadata as Metadata }
    await changeVideo(tx, ctx, { videoId, before, after: { ...changes, metadata: merged(before.metadata, changes.metadata) } })
    return readVersion(tx, videoId)
  })
  return patched.catch(orExternalIdInUse)
}

/** Merges metadata: a null or empty value removes its name, null removes all. */
function merged(stored: Metadata, change: PatchVideo['metadata']): Metadata {
  if (change === undefined) return stored
  const entries = change === null ? [] : Object.entries({ ...stored, ...change }).filter(([, text]) => text !== null && text !== '')
  if (entries.length > MAX_METADATA_KEYS)
    throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'body', path: 'metadata', message: TOO_MUCH_METADATA }] })
  return Object.fromEntries(entries) as Metadata
}

/** Fields of a video that its creator chose before it existed. */
interface VideoFields {
  title?: string | undefined
  description?: string | undefined
  metadata?: Metadata | undefined
  externalId?: string | null | undefined
}

/**
 * Sets the given fields of a video, in the transaction that creates it. A video whose external ID was taken in the meantime gets none,
 * which its log records: that is no reason to lose its file.
 */
export async function applyVideoFields(
  tx: Tx,
  { id, accountId }: { id: string; accountId: AccountId },
  { title, description, metadata, externalId }: VideoFields,
): Promise<void> {
  const isTaken = externalId ? (await tx.video.count({ where: { accountId, externalId, deletedAt: null } })) > 0 : false
  if (isTaken) await appendVideoLog(tx, id, 'upload', `Another video has the externalId “${externalId}”, so this video has none.`)
  const data = {
    ...(title === undefined ? {} : { title }),
    ...(description ? { description } : {}),
    ...(metadata ? { metadata } : {}),
    ...(externalId && !isTaken ? { externalId } : {}),
  }
  if (Object.keys(data).length > 0) await tx.video.update({ where: { id }, data })
}

/**
 * Replaces a video's metadata and external ID. Errors: FORBIDDEN, VIDEO_NOT_FOUND, EXTERNAL_ID_IN_USE, CONFLICT if they changed since
 * `expected` (`details` has the current values).
 */
export async function setMetadata(ctx: AccountCtx, { videoId, expected, ...requested }: SetMetadataInput): Promise<void> {
  requireVideoManagement(ctx)
  const change = db().$transaction(async (tx) => {
    const { title, description, externalId, metadata } = await getOwnedVideoForUpdate(tx, ctx, videoId)
    const current = { externalId, metadata: metadata as Metadata }
    if (isDeepStrictEqual(current, { externalId: requested.externalId, metadata: { ...requested.metadata } })) return
    if (expected && !isDeepStrictEqual(current, { externalId: expected.externalId, metadata: { ...expected.metadata } }))
      throw changedMeanwhile(current)
    await changeVideo(tx, ctx, { videoId, before: { title, description, ...current }, after: requested })
  })
  await change.catch(orExternalIdInUse)
}

/** What the owner states about a video. */
interface VideoText {
  title: string
  description: string | null
  externalId: string | null
  metadata: Metadata
}

/**
 * Writes changed values of a video that the transaction holds, with an audit entry of the differences. Undefined values stay. Errors:
 * EXTERNAL_ID_IN_USE (`details.videoId`), TOO_MANY_ATTEMPTS if the account or its audit log has no room.
 */
async function changeVideo(
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

/** Roughly what `video_text_bytes` in the database counts, which decides how much is left. */
const textBytes = ({ metadata, ...texts }: VideoText) =>
  Buffer.byteLength(JSON.stringify({ metadata, ...texts })) + METADATA_ROW_BYTES * Object.keys(metadata).length
const METADATA_ROW_BYTES = 250

/** Returns the values that differ, metadata by name. Undefined if none does. */
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

/** Errors: EXTERNAL_ID_IN_USE, unless no video of the account has the ID. */
export async function requireFreeExternalId(
  tx: Pick<Tx, 'video'>,
  { accountId }: Pick<AccountCtx, 'accountId'>,
  externalId: string,
): Promise<void> {
  const other = await tx.video.findFirst({ where: { accountId, externalId, deletedAt: null }, select: { id: true } })
  if (other) throw new ServiceError('EXTERNAL_ID_IN_USE', { details: { externalId, videoId: other.id } })
}

/** Returns whether a change failed because a concurrent one took the external ID first and the unique index refused it. */
export const isExternalIdTaken = (error: unknown) => (error as { code?: string }).code === 'P2002'

/** Converts such a failure to EXTERNAL_ID_IN_USE. */
export function orExternalIdInUse(error: unknown): never {
  throw isExternalIdTaken(error) ? new ServiceError('EXTERNAL_ID_IN_USE') : error
}

/**
 * Returns the name, with a number if it is taken, and adds it to the taken ones: tracks of a group have different names (RFC 8216
 * §4.3.4.1.1).
 */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name
  for (let number = 2; taken.has(unique); number++) unique = `${name} ${number}`
  taken.add(unique)
  return unique
}
