import { constants, copyFile, link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { FileStore } from '@tus/file-store'
import { z } from 'zod'
import { ServiceError } from '../../errors.ts'
import { env } from '../../platform/config.ts'
import { newId } from '../../platform/crypto.ts'
import { db } from '../../platform/database.ts'
import { freeBytes, uploadSpace } from '../../platform/disk-space.ts'
import { processWide } from '../../platform/process-wide.ts'
import { storage } from '../../platform/storage/storage.ts'
import { looksLikeVideo } from '../transcoding/container.ts'
import { uploadInput } from './schema.ts'

/**
 * Uploads under way: for each `<id>` its bytes so far, and `<id>.json` saying what it is. This file is their port: what stands outside of
 * it asks by id and knows no files (docs/decisions/0026-uploads-are-local-files.md).
 */
export const uploadFolder = () => join(env().DATA_DIR, 'uploads')
export const uploadStore = () => processWide('upload-store', () => new UploadStore({ directory: uploadFolder() }))

/** Free bytes below which a write that fails has failed for want of room. */
const NO_ROOM = 1024 ** 2

class UploadStore extends FileStore {
  /**
   * Writes what arrives while the reserve is free, and keeps what has arrived. Errors: STORAGE_FULL once the reserve would be touched, also
   * when something else took the room that this upload was promised.
   */
  override async write(...[readable, id, offset]: Parameters<FileStore['write']>): Promise<number> {
    const { STORAGE_RESERVE_BYTES: reserve } = env()
    let full = false
    async function* withinReserve() {
      for await (const chunk of readable as AsyncIterable<Buffer>) {
        full = (await uploadSpace().after(chunk.length)) < reserve
        // The stream ends here, so that what came before is on disk when the client asks how far it is.
        if (full) return
        yield chunk
      }
    }
    const reached = await super.write(Readable.from(withinReserve()), id, offset).catch(async (error) => {
      full ||= (await freeBytes(uploadFolder())) < NO_ROOM
      throw full ? new ServiceError('STORAGE_FULL') : error
    })
    if (full) throw new ServiceError('STORAGE_FULL')
    return reached
  }

  /** A client that did not say at first how large the file is reserved the most; now it reserves what it needs. */
  override async declareUploadLength(id: string, size: number): Promise<void> {
    await super.declareUploadLength(id, size)
    await db().upload.updateMany({ where: { id }, data: { bytes: size } })
  }

  /** An upload that its client takes back makes room for another before the client hears of it. */
  override async remove(id: string): Promise<void> {
    await super.remove(id)
    await leavePlace(id)
  }
}

/** What stands with an upload from its first moment: whose it is and which video it will be. */
export const ticketFields = uploadInput.extend({ filename: z.string(), accountId: z.string(), videoId: z.string() })
export type Ticket = z.output<typeof ticketFields> & {
  id: string
  /** Bytes announced; undefined while the client has not said. */
  size: number | undefined
}

export const isUploadId = (id: string) => /^[0-9a-f]{32}$/.test(id)
export const uploadPath = (id: string) => join(uploadFolder(), id)

/** The ticket of an upload, also of one that has become a video; undefined when there is none. */
export async function readTicket(id: string): Promise<Ticket | undefined> {
  if (!isUploadId(id)) return undefined
  const info = await uploadStore().configstore.get(id)
  const fields = ticketFields.safeParse(info?.metadata)
  return info && fields.success ? { ...fields.data, id, size: info.size } : undefined
}

/** Bytes received; undefined when the file is not there (any more). */
export async function receivedBytes(id: string): Promise<number | undefined> {
  const found = await stat(uploadPath(id)).catch(() => undefined)
  return found?.size
}

/** Stores what was received under `key`; it stays here as well. Rejects with ENOENT when it is not here any more. */
export const storeUpload = (id: string, key: string): Promise<void> => storage().putFile(key, uploadPath(id))

/** Whether what was received begins like a video. */
export const uploadLooksLikeVideo = (id: string): Promise<boolean> => looksLikeVideo(uploadPath(id))

/** Every upload of which there is something here, and when its last byte came; of one that has become a video, when it began. */
export async function* listUploads(): AsyncGenerator<{ id: string; changedAt: Date }> {
  const names = await readdir(uploadFolder()).catch(() => [])
  for (const id of new Set(names.map((name) => name.replace(/\.json$/, '')))) {
    if (!isUploadId(id)) continue
    const found = await stat(uploadPath(id)).catch(() => stat(`${uploadPath(id)}.json`).catch(() => undefined))
    if (found) yield { id, changedAt: found.mtime }
  }
}

/** What this folder calls itself, made up when first asked for. */
export async function folderName(): Promise<string> {
  const path = join(uploadFolder(), '.name')
  return (await readFile(path, 'utf8').catch(() => undefined)) ?? nameFolder(path)
}

async function nameFolder(path: string): Promise<string> {
  const name = newId('fld')
  const made = join(uploadFolder(), `.${name}`)
  await mkdir(uploadFolder(), { recursive: true })
  await writeFile(made, name)
  // Of those who make one up at the same time the first has it; nobody reads half of it.
  try {
    // There are file systems without links.
    await link(made, path).catch((error) => (error.code === 'EEXIST' ? undefined : copyFile(made, path, constants.COPYFILE_EXCL)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  await rm(made)
  return readFile(path, 'utf8')
}

/** The account may begin another one in its place. */
const leavePlace = (id: string) => db().upload.deleteMany({ where: { id } })

/** Removes an upload: its bytes, and its ticket unless that is to tell a client who lost our answer that all is done. */
export async function removeUpload(id: string, { keepTicket = false } = {}): Promise<void> {
  await leavePlace(id)
  await rm(uploadPath(id), { force: true })
  if (!keepTicket) await rm(`${uploadPath(id)}.json`, { force: true })
}
