import { constants, copyFile, link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { FileStore } from '@tus/file-store'
import { z } from 'zod'
import { ServiceError } from '../../errors.ts'
import { env } from '../../platform/config.ts'
import { services } from '../../platform/container.ts'
import { newId } from '../../platform/crypto.ts'
import { db } from '../../platform/database.ts'
import { freeBytes, uploadSpace } from '../../platform/disk-space.ts'
import { storage } from '../../platform/storage/storage.ts'
import { looksLikeVideo } from '../transcoding/container.ts'
import { uploadInput } from './schema.ts'

/**
 * Folder of open uploads: for each `<id>` its bytes so far, and `<id>.json` with its metadata. This file is their port: other code
 * uses ids and no files (docs/decisions/0026-uploads-are-local-files.md).
 */
export const uploadFolder = () => join(env().DATA_DIR, 'uploads')

declare module '../../platform/container.ts' {
  interface Services {
    uploadStore: UploadStore
  }
}

export const uploadStore = () => services().uploadStore
export const makeUploadStore = () => new UploadStore({ directory: uploadFolder() })

/** Free bytes below which a failed write is attributed to a full disk. */
const FULL_DISK_BYTES = 1024 ** 2

class UploadStore extends FileStore {
  /**
   * Writes incoming bytes while the reserve is free, and keeps them on failure. Errors: STORAGE_FULL once the reserve would be
   * used, also when other files used the space reserved for this upload.
   */
  override async write(...[readable, id, offset]: Parameters<FileStore['write']>): Promise<number> {
    const { STORAGE_RESERVE_BYTES: reserve } = env()
    let full = false
    async function* withinReserve() {
      for await (const chunk of readable as AsyncIterable<Buffer>) {
        full = (await uploadSpace().after(chunk.length)) < reserve
        // Ends the stream, so that the bytes received before are on disk when the client requests the offset.
        if (full) return
        yield chunk
      }
    }
    const reached = await super.write(Readable.from(withinReserve()), id, offset).catch(async (error) => {
      full ||= (await freeBytes(uploadFolder())) < FULL_DISK_BYTES
      throw full ? new ServiceError('STORAGE_FULL') : error
    })
    if (full) throw new ServiceError('STORAGE_FULL')
    return reached
  }

  /** Lowers the reservation of a client that announced no size at first, and so reserved the maximum, to the actual size. */
  override async declareUploadLength(id: string, size: number): Promise<void> {
    await super.declareUploadLength(id, size)
    await db().upload.updateMany({ where: { id }, data: { bytes: size } })
  }

  /** Removes an upload cancelled by its client and releases its space before the response. */
  override async remove(id: string): Promise<void> {
    await super.remove(id)
    await releaseSpace(id)
  }
}

/** Metadata of an upload from its creation: its account and its future video. */
export const uploadInfoFields = uploadInput.extend({ filename: z.string(), accountId: z.string(), videoId: z.string() })
export type UploadInfo = z.output<typeof uploadInfoFields> & {
  id: string
  /** Announced bytes; undefined while the client has not announced them. */
  size: number | undefined
}

export const isUploadId = (id: string) => /^[0-9a-f]{32}$/.test(id)
export const uploadPath = (id: string) => join(uploadFolder(), id)

/** Returns the ticket of an upload, also of one that has become a video; undefined when it does not exist. */
export async function readUploadInfo(id: string): Promise<UploadInfo | undefined> {
  if (!isUploadId(id)) return undefined
  const info = await uploadStore().configstore.get(id)
  const fields = uploadInfoFields.safeParse(info?.metadata)
  return info && fields.success ? { ...fields.data, id, size: info.size } : undefined
}

/** Returns the number of bytes received; undefined when the file does not exist (any more). */
export async function receivedBytes(id: string): Promise<number | undefined> {
  const found = await stat(uploadPath(id)).catch(() => undefined)
  return found?.size
}

/** Copies the received file to storage under `key`. Rejects with ENOENT when the file does not exist any more. */
export const storeUpload = (id: string, key: string): Promise<void> => storage().putFile(key, uploadPath(id))

/** Returns whether the received file begins like a video. */
export const uploadLooksLikeVideo = (id: string): Promise<boolean> => looksLikeVideo(uploadPath(id))

/**
 * Lists every upload with a file in this folder and the time of its last byte; for one that has become a video, its creation time.
 */
export async function* listUploads(): AsyncGenerator<{ id: string; changedAt: Date }> {
  const names = await readdir(uploadFolder()).catch(() => [])
  for (const id of new Set(names.map((name) => name.replace(/\.json$/, '')))) {
    if (!isUploadId(id)) continue
    const found = await stat(uploadPath(id)).catch(() => stat(`${uploadPath(id)}.json`).catch(() => undefined))
    if (found) yield { id, changedAt: found.mtime }
  }
}

/** Returns the name of this folder, created on first use. */
export async function folderName(): Promise<string> {
  const path = join(uploadFolder(), '.name')
  return (await readFile(path, 'utf8').catch(() => undefined)) ?? nameFolder(path)
}

async function nameFolder(path: string): Promise<string> {
  const name = newId('fld')
  const temporary = join(uploadFolder(), `.${name}`)
  await mkdir(uploadFolder(), { recursive: true })
  await writeFile(temporary, name)
  // The first of concurrent callers sets the name; linking a complete file prevents partial reads.
  try {
    // Some file systems have no links.
    await link(temporary, path).catch((error) => (error.code === 'EEXIST' ? undefined : copyFile(temporary, path, constants.COPYFILE_EXCL)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  await rm(temporary)
  return readFile(path, 'utf8')
}

/** Releases the space reserved for an upload. */
const releaseSpace = (id: string) => db().upload.deleteMany({ where: { id } })

/**
 * Removes an upload's bytes, and its ticket unless `keepTicket`: clients that lost the last response learn from it that the upload
 * is complete.
 */
export async function removeUpload(id: string, { keepTicket = false } = {}): Promise<void> {
  await releaseSpace(id)
  await rm(uploadPath(id), { force: true })
  if (!keepTicket) await rm(`${uploadPath(id)}.json`, { force: true })
}
