import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { db, query, type Tx } from '../../../platform/database/database.ts'
import { lowestFreeBytes } from '../../../platform/files/disk-space.ts'
import { abortMultipart, finishMultipart, isDiscarded, listMultiparts } from '../../../platform/storage/s3-multipart.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { beginsLikeVideo, HEAD_BYTES } from '../../transcoding/probe/container.ts'
import { SOURCES, sourceKey } from '../../videos/media-keys.ts'
import { UNFINISHED_HOURS } from '../bounds.ts'
import { uploadInfoFields } from '../schema.ts'
import { uploadLeases } from './lease.ts'
import { MultipartDataStore } from './multipart-datastore.ts'
import { readMultipart, readParts } from './multipart-rows.ts'
import { PIECES } from './part-writer.ts'
import { isUploadId, type UploadInfo, type UploadPlace, uploadGone } from './place.ts'
import { removeMultipart } from './sweep.ts'

/** Returns the place of uploads when media is in an object store. */
export function makeMultipartUploads(): UploadPlace {
  const datastore = new MultipartDataStore()
  return { ...PLACE, datastore, locker: uploadLeases(), openEmpty: (upload) => datastore.openEmpty(upload) }
}

const PLACE: Omit<UploadPlace, 'datastore' | 'locker' | 'openEmpty'> = {
  name: async () => null,
  async measure() {
    // A machine holds parts in transit, but no uploads.
    const isFull = (await lowestFreeBytes(['database', 'uploads'])) < env().STORAGE_RESERVE_BYTES
    return async () => () => {
      if (isFull) throw new ServiceError('STORAGE_FULL', { details: { limit: 'disk' } })
    }
  },
  ticket: readTicket,
  async received(id) {
    const row = await readMultipart(id)
    return row?.isOpen ? row.received : undefined
  },
  storeOriginal,
  hold: holdMultipart,
  list: listUploads,
  async remove(id, { keepTicket = false } = {}) {
    if (!keepTicket) await removeMultipart(id)
  },
  sweep,
}

async function readTicket(id: string): Promise<UploadInfo | undefined> {
  const row = isUploadId(id) ? await readMultipart(id) : undefined
  const fields = uploadInfoFields.safeParse(row?.metadata)
  return row && fields.success ? { ...fields.data, id, size: row.size } : undefined
}

/** Assembles the parts into the original. If another request did, and the upload is not a video yet, checks that original. */
async function storeOriginal({ id, videoId }: UploadInfo): Promise<boolean> {
  const row = await readMultipart(id)
  if (!row?.isOpen) throw uploadGone()
  const key = sourceKey(videoId)
  const parts = (await readParts(id)).map(({ number, etag }) => ({ number, etag: etag ?? '' }))
  await finishMultipart({ key, storeId: row.storeId }, parts).catch((error) => {
    if (!isDiscarded(error)) throw error
  })
  const stored = await storage().stat(key)
  if (!stored) throw uploadGone()
  if (stored.bytes !== row.received)
    throw new Error(`The original of ${videoId} has ${stored.bytes} bytes, and ${row.received} were received.`)
  const head: Uint8Array[] = []
  const range = { start: 0, end: Math.min(stored.bytes, HEAD_BYTES) - 1 }
  for await (const bytes of storage().read(key, range)) head.push(Uint8Array.from(bytes))
  return beginsLikeVideo(Buffer.concat(head))
}

async function holdMultipart(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`SELECT 1 FROM multipart_upload WHERE id = ${id} FOR UPDATE`
  return rows.length > 0
}

/** Lists those idle for longer than uploads are kept, or completely received but not a video yet. */
async function* listUploads(): AsyncGenerator<{ id: string; idleMs: number }> {
  yield* await query<{ id: string; idleMs: number }>('list-multiparts', LIST, [UNFINISHED_HOURS])
}

const LIST = `
  SELECT id, (extract(epoch FROM service_now() - changed_at) * 1000)::float8 AS "idleMs" FROM multipart_upload m
  WHERE changed_at < service_now() - make_interval(hours => $1) OR (EXISTS (SELECT FROM upload u WHERE u.id = m.id)
    AND size = (SELECT coalesce(sum(p.bytes), 0) FROM multipart_part p WHERE p.upload_id = m.id))`

/**
 * Deletes rows of uploads without a state (the process stopped between the two), rows of a folder used before the object store, and what
 * the store holds of uploads without a row: those of deleted accounts, or of a process that stopped.
 */
async function sweep(signal: AbortSignal, olderThanMs: number): Promise<void> {
  await db().$executeRaw`
    DELETE FROM upload u WHERE started_at < service_now() - CASE WHEN folder IS NULL THEN interval '1 hour' ELSE interval '7 days' END
      AND NOT EXISTS (SELECT FROM multipart_upload m WHERE m.id = u.id)
      AND NOT EXISTS (SELECT FROM direct_upload d WHERE d.id = u.id AND d.state = 'open')`
  for await (const { key, storeId, since } of listMultiparts(SOURCES)) {
    signal.throwIfAborted()
    const isYoung = Date.now() - since.getTime() < olderThanMs
    if (isYoung || (await db().multipartUpload.count({ where: { storeId } })) > 0) continue
    await abortMultipart({ key, storeId })
  }
  for await (const key of storage().list(PIECES)) {
    signal.throwIfAborted()
    const id = key.slice(PIECES.length).split('/', 1)[0] as string
    if ((await db().multipartUpload.count({ where: { id } })) === 0) await storage().delete(key)
  }
}
