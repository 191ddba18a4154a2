import { constants, copyFile, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { FileConfigstore, FileStore } from '@tus/file-store'
import type { Upload } from '@tus/server'
import { ServiceError } from '../../../errors.ts'
import { env } from '../../../platform/config/config.ts'
import { db, query, type Runner } from '../../../platform/database/database.ts'
import { lowestFreeBytes } from '../../../platform/files/disk-space.ts'
import { newId } from '../../../platform/secrets/crypto.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { looksLikeVideo } from '../../transcoding/probe/container.ts'
import { sourceKey } from '../../videos/media-keys.ts'
import { writeWithinReserve } from '../begin.ts'
import { uploadInfoFields } from '../schema.ts'
import { FolderLocker } from './folder-locker.ts'
import { isUploadId, type UploadPlace } from './place.ts'
import { fitReservation } from './reservation.ts'

/** Folder of open uploads: for each `<id>` its bytes so far, and `<id>.json` with its metadata. */
export const uploadFolder = () => join(env().DATA_DIR, 'uploads')
export const uploadPath = (id: string) => join(uploadFolder(), id)

/** Returns the place of uploads when media is on disk. Other code uses IDs, not files, so that an object store can take its place. */
export function makeUploadFolder(): UploadPlace {
  const datastore = new FolderDataStore({ directory: uploadFolder(), configstore: new TicketStore(uploadFolder()) })
  return {
    datastore,
    locker: new FolderLocker(),
    openEmpty: openFile,
    name: recentName,
    measure,
    async ticket(id) {
      const info = isUploadId(id) ? await datastore.configstore.get(id) : undefined
      const fields = uploadInfoFields.safeParse(info?.metadata)
      return info && fields.success ? { ...fields.data, id, size: info.size } : undefined
    },
    received: receivedBytes,
    async storeOriginal({ id, videoId }) {
      if (!(await looksLikeVideo(uploadPath(id)))) return false
      await storage().putFile(sourceKey(videoId), uploadPath(id))
      return true
    },
    hold: async () => true,
    list: listUploads,
    remove: removeUpload,
    sweep: deleteOrphanedRows,
  }
}

/** Creates an upload's two files, unless they exist: requests do so in several processes at once. */
async function openFile(upload: Upload): Promise<void> {
  await mkdir(/* turbopackIgnore: true */ uploadFolder(), { recursive: true })
  await writeFile(/* turbopackIgnore: true */ uploadPath(upload.id), '', { flag: 'wx' }).catch(unlessExists)
  await createWhole(`${uploadPath(upload.id)}.json`, JSON.stringify(upload))
}

const unlessExists = (error: NodeJS.ErrnoException) => (error.code === 'EEXIST' ? undefined : Promise.reject(error))

/** Creates a file unless it exists. Linking a complete file prevents partial reads. */
async function createWhole(path: string, text: string, { flush = false } = {}): Promise<void> {
  const temporary = join(uploadFolder(), `.${newId('tmp')}`)
  await writeFile(/* turbopackIgnore: true */ temporary, text, { flush })
  await link(temporary, path)
    // Some file systems have no links.
    .catch((error) => (error.code === 'EEXIST' ? undefined : copyFile(temporary, path, constants.COPYFILE_EXCL).catch(unlessExists)))
    .finally(() => rm(/* turbopackIgnore: true */ temporary))
}

/** Tickets as files. Replaces a file as a whole: half of one would be read as an upload that does not exist. */
class TicketStore extends FileConfigstore {
  override async set(id: string, upload: Upload): Promise<void> {
    const temporary = join(this.directory, `.${newId('tmp')}`)
    await writeFile(/* turbopackIgnore: true */ temporary, JSON.stringify(upload))
    await rename(temporary, join(this.directory, `${id}.json`))
  }
}

class FolderDataStore extends FileStore {
  /** Starts an upload, or starts it over in a new file, because a video's original may be a link to the previous one. */
  override async create(upload: Upload): Promise<Upload> {
    await fitReservation(upload.id, upload.size)
    await rm(/* turbopackIgnore: true */ uploadPath(upload.id), { force: true })
    return super.create(upload)
  }

  /** Writes incoming bytes while the reserve is free, and keeps them on failure. Errors: STORAGE_FULL. */
  override async write(...[readable, id, offset]: Parameters<FileStore['write']>): Promise<number> {
    return writeWithinReserve(readable, uploadFolder(), (bytes) => super.write(Readable.from(bytes), id, offset))
  }

  /** Lowers the reservation of a client that first announced no size, and so reserved the maximum, to the actual size. */
  override async declareUploadLength(id: string, size: number): Promise<void> {
    await super.declareUploadLength(id, size)
    await db().upload.updateMany({ where: { id }, data: { bytes: size } })
  }

  /** Removes an upload that its client cancelled and releases its space before the response. */
  override async remove(id: string): Promise<void> {
    await super.remove(id)
    await releaseSpace(id)
  }
}

/** Counts announced bytes of open uploads that have not been received yet as used. */
async function measure(before: Runner) {
  const folder = await recentName()
  const received = await receivedSoFar(await openUploads(folder, before))
  return async (on: Runner) => {
    const open = await openUploads(folder, on)
    const expected = open.reduce((sum, one) => sum + Math.max(0, one.bytes - (received.get(one.id) ?? 0)), 0)
    const left = (await lowestFreeBytes(['database', 'uploads', 'media'])) - expected
    return (bytes: number) => {
      if (left - bytes < env().STORAGE_RESERVE_BYTES) throw new ServiceError('STORAGE_FULL', { details: { limit: 'disk' } })
    }
  }
}

interface OpenUpload {
  id: string
  bytes: number
}

/** Returns uploads in a folder that have announced bytes; waiting API uploads have announced none. */
const openUploads = (folder: string, on: Runner) =>
  query<OpenUpload & Record<string, unknown>>(
    'open-uploads',
    'SELECT id, bytes::float8 AS bytes FROM upload WHERE folder = $1 AND bytes > 0',
    [folder],
    on,
  )

/**
 * Looks up open uploads alone: the folder also has the tickets of all that were completed within a day. Bytes that arrive in the meantime
 * count twice, in the reserve's favor.
 */
async function receivedSoFar(open: OpenUpload[]): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const { id } of open) found.set(id, (await receivedBytes(id)) ?? 0)
  return found
}

/** Returns the number of bytes received. Undefined if the file does not exist (anymore). */
async function receivedBytes(id: string): Promise<number | undefined> {
  const found = await stat(/* turbopackIgnore: true */ uploadPath(id)).catch(() => undefined)
  return found?.size
}

/** Lists every upload with a file in this folder, and how long ago its last byte arrived, or, if it has become a video, when it started. */
async function* listUploads(): AsyncGenerator<{ id: string; idleMs: number }> {
  const names = await readdir(/* turbopackIgnore: true */ uploadFolder()).catch(() => [])
  for (const id of new Set(names.map((name) => name.replace(/\.json$/, '')))) {
    if (!isUploadId(id)) continue
    const found = await stat(/* turbopackIgnore: true */ uploadPath(id)).catch(() =>
      stat(/* turbopackIgnore: true */ `${uploadPath(id)}.json`).catch(() => undefined),
    )
    if (found) yield { id, idleMs: Date.now() - found.mtime.getTime() }
  }
}

/** Returns this folder's name, created on first use. */
async function folderName(): Promise<string> {
  const path = join(uploadFolder(), '.name')
  return (await readFile(/* turbopackIgnore: true */ path, 'utf8').catch(() => undefined)) ?? nameFolder(path)
}

const NAME_IS_FRESH_MS = 1_000
const known = { path: '', at: 0, name: Promise.resolve('') }

/** Returns the name as it was within the last second: many uploads start at once, and each read takes four file system calls. */
function recentName(): Promise<string> {
  const path = uploadFolder()
  const isFresh = known.path === path && Math.abs(performance.now() - known.at) < NAME_IS_FRESH_MS
  return isFresh ? known.name : Object.assign(known, { path, at: performance.now(), name: folderName() }).name
}

async function nameFolder(path: string): Promise<string> {
  await mkdir(/* turbopackIgnore: true */ uploadFolder(), { recursive: true })
  // The first of concurrent callers sets the name.
  await createWhole(path, newId('fld'), { flush: true })
  return readFile(/* turbopackIgnore: true */ path, 'utf8')
}

/** Releases the space reserved for an upload. */
const releaseSpace = (id: string) => db().upload.deleteMany({ where: { id } })

async function removeUpload(id: string, { keepTicket = false } = {}): Promise<void> {
  await releaseSpace(id)
  await rm(/* turbopackIgnore: true */ uploadPath(id), { force: true })
  if (!keepTicket) await rm(/* turbopackIgnore: true */ `${uploadPath(id)}.json`, { force: true })
}

/**
 * Deletes rows of uploads without a file (the process stopped between the two). Recent uploads may not have their file yet. Uploads in
 * another folder cannot be checked and are abandoned after a week.
 */
async function deleteOrphanedRows(): Promise<void> {
  const rows = await db().$queryRaw<{ id: string; gone: boolean | null }[]>`
    SELECT id, folder <> ${await folderName()} AS gone FROM upload u WHERE started_at < service_now() - CASE
      WHEN folder <> ${await folderName()} THEN interval '7 days' ELSE interval '1 hour' END
      AND NOT EXISTS (SELECT FROM direct_upload d WHERE d.id = u.id AND d.state = 'open')`
  for (const { id, gone } of rows) if (gone || (await receivedBytes(id)) === undefined) await db().upload.deleteMany({ where: { id } })
}
