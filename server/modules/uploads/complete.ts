import type { AccountCtx, AccountId, Actor } from '../../context.ts'
import { ServiceError } from '../../errors.ts'
import { db, type Tx } from '../../platform/database/database.ts'
import { megabytes } from '../../platform/megabytes.ts'
import { storage } from '../../platform/storage/storage.ts'
import { record } from '../audit/record.ts'
import { storedQuality } from '../identity/accounts/quality-schema.ts'
import { addNewVideo } from '../videos/collections/collections.ts'
import { dropReplacement } from '../videos/drop-replacement.ts'
import { applyVideoFields, isExternalIdTaken } from '../videos/edit-video.ts'
import { sourceKey } from '../videos/media-keys.ts'
import { createMedia } from '../videos/queue-media.ts'
import { REPLACEMENT_FAILURES } from '../videos/replacement-schema.ts'
import { appendVideoLog, emitLifeEvent } from '../videos/video-log.ts'
import { completeDirect, type DirectFields, failDirect, readDirect } from './direct/direct-rows.ts'
import { isDirectId } from './direct/direct-url.ts'
import { FILE_FAILURES } from './failure-schema.ts'
import { type UploadInfo, uploadGone, uploadPlace } from './resumable/place.ts'

/**
 * Converts a fully received upload to a PENDING video and its job. Safe to repeat after a crash at any point: the bytes are stored first,
 * then row and job in one transaction, then the upload is removed. Returns the video's ID: the one whose source it replaces, or a new one.
 * Errors: INVALID_REQUEST for empty files and files that are not a video, whose uploads are removed. ACCOUNT_SUSPENDED, which keeps the
 * upload.
 */
export async function completeUpload(actor: Actor, ticket: UploadInfo): Promise<string> {
  const { videoId } = ticket
  const replaces = isDirectId(ticket.id) ? (await readDirect(ticket.id))?.fields.replaces : ticket.replaces
  const result = replaces ?? videoId
  if (await becameVideo(ticket)) {
    await uploadPlace().remove(ticket.id, { keepTicket: true })
    return result
  }
  if ((await db().account.count({ where: { id: ticket.accountId, suspendedAt: { not: null } } })) > 0)
    throw new ServiceError('ACCOUNT_SUSPENDED')
  try {
    const bytes = await storeOriginal(ticket)
    const who = { accountId: ticket.accountId as AccountId, actor }
    if (replaces) await createReplacement(who, ticket, bytes, replaces)
    else await createDespiteOthers(who, ticket, bytes)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Another request completed it between the two checks.
    if ((code === 'ENOENT' || code === 'NOT_FOUND') && (await becameVideo(ticket))) return result
    // It was cancelled after its original was stored.
    if (code === 'NOT_FOUND' && isDirectId(ticket.id)) await storage().delete(sourceKey(videoId))
    throw code === 'ENOENT' ? uploadGone() : error
  }
  await uploadPlace().remove(ticket.id, { keepTicket: true })
  return result
}

/** Returns whether the upload was completed before. */
export const becameVideo = ({ accountId, videoId }: UploadInfo): Promise<boolean> => isStored(db(), videoId, accountId)

async function storeOriginal(ticket: UploadInfo): Promise<number> {
  const place = uploadPlace()
  const bytes = await place.received(ticket.id)
  if (bytes === undefined) throw uploadGone()
  if (bytes > 0 && (await place.storeOriginal(ticket))) return bytes
  const code = bytes === 0 ? 'EMPTY_FILE' : 'NOT_A_VIDEO'
  const reason = FILE_FAILURES[code]
  if (isDirectId(ticket.id)) await db().$transaction((tx) => failDirect(tx, ticket.id, { code, reason }, bytes))
  await place.remove(ticket.id)
  throw new ServiceError('INVALID_REQUEST', { message: reason })
}

/** Each attempt fails only if the ID was freed and taken again in the meantime. */
const ATTEMPTS = 5

/** Creates the video. If another one took its external ID between check and write, repeats the transaction, which then finds that one. */
async function createDespiteOthers(...args: Parameters<typeof createVideo>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await createVideo(...args)
    } catch (error) {
      if (!isExternalIdTaken(error) || attempt === ATTEMPTS) throw error
    }
  }
}

async function createVideo(ctx: Pick<AccountCtx, 'accountId' | 'actor'>, ticket: UploadInfo, bytes: number): Promise<void> {
  const { videoId, accountId, title, description, targetQuality, captions, encrypted, filename } = ticket
  await db().$transaction(async (tx) => {
    if (!(await uploadPlace().hold(tx, ticket.id))) throw uploadGone()
    const source = { sourceKey: sourceKey(videoId), sourceBytes: BigInt(bytes), sourceName: filename }
    const { count } = await tx.video.createMany({
      data: {
        id: videoId,
        accountId,
        title,
        description: description ?? null,
        mediaId: videoId,
        targetQuality,
        encrypted,
        ...captionColumns(captions),
      },
      skipDuplicates: true,
    })
    if (count === 0) return
    // The upload named one ID before there were rows: a video's first media has it as well.
    await createMedia(tx, { id: videoId, videoId, accountId, targetQuality, encrypted, ...source })
    const importedFrom = isDirectId(ticket.id) ? await completeFields(tx, ticket, bytes) : null
    await tx.upload.deleteMany({ where: { id: ticket.id } })
    const after = { title, targetQuality, encrypted, sourceName: filename, ...(importedFrom !== null && { importedFrom }) }
    await record(tx, ctx, { action: 'video.upload', subject: videoId, after })
    await emitLifeEvent(tx, ctx, videoId, 'video.created')
    await appendVideoLog(tx, videoId, 'upload', `Received “${filename}”, ${megabytes(bytes)}.`)
  })
}

/** Returns the columns for whether a video gets captions from its speech, and in which language. Without a choice, the account's setting counts. */
const captionColumns = (captions: DirectFields['captions']) =>
  captions ? { autoCaptions: captions !== 'none', captionLanguage: ['auto', 'none'].includes(captions) ? null : captions } : {}

/**
 * Ends an API upload, and gives the video the fields that its creator chose. Returns an import's host and path. Errors: NOT_FOUND once it
 * has ended otherwise.
 */
async function completeFields(tx: Tx, { id, videoId, accountId, title }: UploadInfo, bytes: number): Promise<string | null> {
  const completed = await completeDirect(tx, id, bytes)
  if (!completed) throw uploadGone()
  const { fields, importedFrom } = completed
  const account = { accountId: accountId as AccountId }
  await applyVideoFields(tx, { id: videoId, ...account }, { title, ...fields })
  const { pictureQuality } = fields
  const data = { ...(pictureQuality && { pictureQuality: storedQuality(pictureQuality) }), ...captionColumns(fields.captions) }
  if (Object.keys(data).length > 0) await tx.video.update({ where: { id: videoId }, data })
  if (fields.collection) await addNewVideo(tx, account, { collectionId: fields.collection, videoId })
  return importedFrom
}

/** The owner and the actor of a change. */
type Who = Pick<AccountCtx, 'accountId' | 'actor'>

/**
 * Queues a fully received file for transcoding as the video's new source, replacing one that is not complete yet. Safe to repeat. Errors:
 * NOT_FOUND once the upload has ended otherwise; UPLOAD_FAILED if the video was deleted or taken down, which ends the upload.
 */
async function createReplacement(who: Who, ticket: UploadInfo, bytes: number, replaces: string): Promise<void> {
  const { accountId, videoId } = ticket
  const isQueued = await db().$transaction(async (tx) => {
    if (!(await uploadPlace().hold(tx, ticket.id))) throw uploadGone()
    const [video] = await tx.$queryRaw<{ sourceName: string }[]>`
      SELECT m.source_name AS "sourceName" FROM video v JOIN media m ON m.id = v.media_id
      WHERE v.id = ${replaces} AND v.account_id = ${accountId} AND v.deleted_at IS NULL AND v.taken_down_at IS NULL FOR UPDATE OF v`
    if (await isStored(tx, videoId)) return true
    const isDirect = isDirectId(ticket.id)
    if (!video) return isDirect && !(await failDirect(tx, ticket.id, UNAVAILABLE, bytes))
    const importedFrom = isDirect ? await complete(tx, ticket.id, bytes) : null
    await dropReplacement(tx, { accountId, videoId: replaces }, { code: 'SUPERSEDED', reason: REPLACEMENT_FAILURES.SUPERSEDED })
    const { targetQuality, encrypted, filename } = ticket
    const source = { sourceKey: sourceKey(videoId), sourceBytes: BigInt(bytes), sourceName: filename }
    await createMedia(tx, { id: videoId, videoId: replaces, accountId, targetQuality, encrypted, ...source })
    await tx.upload.deleteMany({ where: { id: ticket.id } })
    const after = { sourceName: filename, targetQuality, encrypted, ...(importedFrom !== null && { importedFrom }) }
    await record(tx, who, { action: 'video.source', subject: replaces, before: { sourceName: video.sourceName }, after })
    await appendVideoLog(tx, replaces, 'upload', `Received “${filename}”, ${megabytes(bytes)}, as the new source.`)
    return true
  })
  if (isQueued) return
  await uploadPlace().remove(ticket.id)
  await storage().delete(sourceKey(videoId))
  throw new ServiceError('UPLOAD_FAILED', {
    message: UNAVAILABLE.reason,
    details: { failureCode: UNAVAILABLE.code, failureReason: UNAVAILABLE.reason },
  })
}

/** Ends an API upload. Returns an import's host and path. Errors: NOT_FOUND once it has ended otherwise. */
async function complete(tx: Tx, id: string, bytes: number): Promise<string | null> {
  const completed = await completeDirect(tx, id, bytes)
  if (!completed) throw uploadGone()
  return completed.importedFrom
}

const UNAVAILABLE = { code: 'VIDEO_UNAVAILABLE', reason: REPLACEMENT_FAILURES.VIDEO_UNAVAILABLE } as const

/** Returns whether an upload became media, of a new video or of one whose source it replaces. */
const isStored = async (on: Pick<Tx, 'media'>, id: string, accountId?: string): Promise<boolean> =>
  (await on.media.count({ where: { id, ...(accountId && { accountId }) } })) > 0
