import type { Readable } from 'node:stream'
import { DataStore, ERRORS, Upload } from '@tus/server'
import { env } from '../../../platform/config/config.ts'
import { db } from '../../../platform/database/database.ts'
import { storageLocation } from '../../../platform/storage/s3-client.ts'
import { abortMultipart, beginMultipart, isDiscarded } from '../../../platform/storage/s3-multipart.ts'
import { storage } from '../../../platform/storage/storage.ts'
import type { StorageLocation } from '../../../platform/storage/storage-url.ts'
import { sourceKey } from '../../videos/media-keys.ts'
import { writeWithinReserve } from '../begin.ts'
import { uploadInfoFields } from '../schema.ts'
import { uploadFolder } from './folder.ts'
import { uploadLeases } from './lease.ts'
import { insertMultipart, type MultipartRow, readMultipart, readParts, replaceMultipart, setSize } from './multipart-rows.ts'
import { PartWriter, partSizes, piecePrefix } from './part-writer.ts'
import { fitReservation } from './reservation.ts'
import { removeMultipart } from './sweep.ts'

/**
 * The store that tus writes to when media is in an object store: each upload is a multipart upload of its video's original, with its state
 * in the database. So any machine can continue it, and completing it copies no bytes. tus holds the upload's lease during each call.
 */
export class MultipartDataStore extends DataStore {
  override extensions = ['creation', 'creation-with-upload', 'creation-defer-length', 'termination']

  override async create(upload: Upload): Promise<Upload> {
    const { id, size, metadata = {} } = upload
    const { accountId, videoId } = uploadInfoFields.parse(metadata)
    const earlier = await readMultipart(id)
    if (earlier) return this.beginAgain(earlier, upload)
    try {
      const storeId = await beginMultipart(sourceKey(videoId))
      await insertMultipart({ id, accountId, storeId, size, metadata, lease: uploadLeases().leaseOf(id) })
    } catch (error) {
      await db().upload.deleteMany({ where: { id } })
      throw error
    }
    return upload
  }

  /** Creates an upload without bytes, unless there is one: requests do so on several machines at once, and a lease needs the row. */
  async openEmpty({ id, size, metadata = {} }: Upload): Promise<void> {
    const { accountId, videoId } = uploadInfoFields.parse(metadata)
    const key = sourceKey(videoId)
    const storeId = await beginMultipart(key)
    const isFirst = await insertMultipart({ id, accountId, storeId, size, metadata })
    if (!isFirst) await abortMultipart({ key, storeId })
  }

  /** Discards what was received, for a client that sends everything from the start. */
  private async beginAgain(earlier: MultipartRow, upload: Upload): Promise<Upload> {
    const { id, size, metadata = {} } = upload
    if (!earlier.isOpen) throw ERRORS.FILE_NOT_FOUND
    await fitReservation(id, size)
    const key = sourceKey(uploadInfoFields.parse(metadata).videoId)
    const storeId = await beginMultipart(key)
    await replaceMultipart({ id, storeId, size, metadata, lease: uploadLeases().leaseOf(id) })
    await storage().deletePrefix(piecePrefix(id))
    await abortMultipart({ key, storeId: earlier.storeId })
    return upload
  }

  /** Stores incoming bytes, keeping what arrived before an error. Returns the new offset. Errors: STORAGE_FULL. */
  override async write(readable: Readable, id: string, offset: number): Promise<number> {
    const row = await openRow(id)
    const writer = await writerOf(row)
    try {
      await writeWithinReserve(readable, uploadFolder(), async (bytes) => {
        try {
          for await (const chunk of bytes) await writer.append(chunk)
        } finally {
          await writer.end()
        }
      })
    } catch (error) {
      // The store discarded it, for example by a rule of the bucket, or it was interrupted too often. The client must start over.
      if (!isDiscarded(error) && error !== ERRORS.FILE_NO_LONGER_EXISTS) throw error
      await removeMultipart(id)
      throw ERRORS.FILE_NO_LONGER_EXISTS
    } finally {
      await writer.close()
    }
    return offset + writer.received - row.received
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await readMultipart(id)
    if (!row) throw ERRORS.FILE_NOT_FOUND
    const { size, received: offset, metadata } = row
    return new Upload({ id, offset, metadata, ...(size === undefined ? {} : { size }) })
  }

  /** Stores the size that a client announces late, and lowers the upload's reserved space to it. */
  override async declareUploadLength(id: string, size: number): Promise<void> {
    const row = await openRow(id)
    // An upload with all its bytes has no pieces.
    if (row.received === size) {
      const writer = await writerOf(row)
      await writer.combine().finally(() => writer.close())
    }
    await setSize(id, uploadLeases().leaseOf(id), size)
    await db().upload.updateMany({ where: { id }, data: { bytes: size } })
  }

  /** Removes an upload that its client cancelled and releases its space before the response. */
  override async remove(id: string): Promise<void> {
    await openRow(id)
    await removeMultipart(id)
  }
}

/** Errors: FILE_NOT_FOUND for an upload that was removed or has become a video. */
async function openRow(id: string): Promise<MultipartRow> {
  const row = await readMultipart(id)
  if (!row?.isOpen) throw ERRORS.FILE_NOT_FOUND
  return row
}

async function writerOf({ id, storeId, size, metadata }: MultipartRow): Promise<PartWriter> {
  const key = sourceKey(uploadInfoFields.parse(metadata).videoId)
  const target = { id, storeId, key, size, lease: uploadLeases().leaseOf(id) }
  return new PartWriter(target, await readParts(id), partSizes(size ?? env().MAX_UPLOAD_BYTES, storageLocation() as StorageLocation))
}
