import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import { freeBytes } from '../files/disk-space.ts'
import type { Fetch, RemoteObject } from './s3.ts'
import { StorageError } from './storage-error.ts'

/** Suffix of an incomplete file's name. */
const PART = '.part'
/** How often a process marks the files it uses or writes, by their modification time. */
const MARK_MS = 5_000
/** A file not marked for this long is not in use: its process has ended. */
const UNUSED_MS = 30_000
/** How often a process checks a file that another process on this machine is fetching. */
const LOOK_MS = 200

declare module '../container.ts' {
  interface Services {
    /** How many holders each fetched file has in this process, by path. The mark shows the machine's other processes. */
    fetchedInUse: Map<string, number>
    /** Bytes of files to keep after their use; less when space is short. */
    fetchedBytes: number
  }
}

export const makeFetchedBytes = () => 20 * 1024 ** 3

/** Folder of the files that this machine's processes fetched and share through DATA_DIR. */
export const fetchedFolder = () => join(env().DATA_DIR, 'fetched')

/**
 * Fetches an object once per machine: if another process is fetching it, waits for it. Its name is the hash of key, ETag and size, so a
 * replaced object is another file. The file is complete and equals the object, or the call rejects. Files in use are never removed; of the
 * others, the most recently used ones stay, up to `fetchedBytes`. A killed process leaves at most a partial file, which the next one
 * removes.
 */
export const fetchOnce: Fetch = async (object, read, signal) => {
  const folder = fetchedFolder()
  await mkdir(/* turbopackIgnore: true */ folder, { recursive: true, mode: 0o700 })
  const path = join(folder, nameOf(object))
  while (!(await isComplete(path, object.bytes))) {
    signal?.throwIfAborted()
    const part = await claim(path + PART)
    if (!part) {
      await wait(LOOK_MS, undefined, { signal })
      continue
    }
    const stopMarking = keepMarked(path + PART)
    try {
      await makeRoom(folder, object.bytes)
      await receive(object, read(), part, signal)
      await rename(/* turbopackIgnore: true */ path + PART, path)
    } catch (error) {
      await rm(/* turbopackIgnore: true */ path + PART, { force: true })
      throw error
    } finally {
      stopMarking()
      await part.close()
    }
  }
  const stopMarking = keepMarked(path)
  const holders = services().fetchedInUse
  holders.set(path, (holders.get(path) ?? 0) + 1)
  return {
    path,
    async release() {
      stopMarking()
      const left = (holders.get(path) ?? 1) - 1
      if (left > 0) return void holders.set(path, left)
      holders.delete(path)
      await mark(path, Date.now() - UNUSED_MS)
      await removeUnused(folder, services().fetchedBytes)
    },
  }
}

const nameOf = ({ key, etag, bytes }: RemoteObject) =>
  createHash('sha256')
    .update(JSON.stringify([key, etag, bytes]))
    .digest('hex')
    .slice(0, 40)

/** Returns whether the file is there in full, and marks it as in use. */
async function isComplete(path: string, bytes: number): Promise<boolean> {
  if (!(await mark(path, Date.now()))) return false
  const found = await stat(/* turbopackIgnore: true */ path).catch(absent)
  if (found?.size === bytes) return true
  await rm(/* turbopackIgnore: true */ path, { force: true })
  return false
}

/** Creates the partial file that this process writes. Undefined while another process writes it. Removes a killed process's file. */
async function claim(path: string) {
  try {
    return await open(/* turbopackIgnore: true */ path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const found = await stat(/* turbopackIgnore: true */ path).catch(absent)
    if (found && Date.now() - found.mtimeMs > UNUSED_MS) await rm(/* turbopackIgnore: true */ path, { force: true })
    return undefined
  }
}

async function receive(
  { bytes, hash }: RemoteObject,
  content: AsyncIterable<Uint8Array>,
  file: Awaited<ReturnType<typeof open>>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const hasher = hash && createHash(hash.algorithm)
  let received = 0
  for await (const part of content) {
    signal?.throwIfAborted()
    hasher?.update(part)
    await file.write(part)
    received += part.byteLength
  }
  if (received !== bytes || (hash && hasher?.digest('hex') !== hash.hex))
    throw new StorageError('STORAGE_UNAVAILABLE', { message: 'The media storage sent different content than it announced.' })
}

/** Removes unused files until `bytes` more fit. Rejects with ENOSPC if that would use STORAGE_RESERVE_BYTES. */
async function makeRoom(folder: string, bytes: number): Promise<void> {
  await removeUnused(folder, Math.max(0, services().fetchedBytes - bytes))
  const needed = bytes + env().STORAGE_RESERVE_BYTES
  if ((await freeBytes(folder)) < needed) await removeUnused(folder, 0)
  if ((await freeBytes(folder)) < needed)
    throw Object.assign(new Error('fetching the source would leave less free space than STORAGE_RESERVE_BYTES'), { code: 'ENOSPC' })
}

/** Removes unused files, least recently used first, until the folder holds at most `limit` bytes. */
async function removeUnused(folder: string, limit: number): Promise<void> {
  const names = await readdir(/* turbopackIgnore: true */ folder)
  const files = []
  for (const name of names) {
    const path = join(folder, name)
    const found = await stat(/* turbopackIgnore: true */ path).catch(absent)
    if (found) files.push({ path, bytes: found.size, usedAt: found.mtimeMs, isPart: name.endsWith(PART) })
  }
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { path, bytes, usedAt, isPart } of files.sort((a, b) => a.usedAt - b.usedAt)) {
    if (Date.now() - usedAt < UNUSED_MS) return
    if (total <= limit && !isPart) continue
    await rm(/* turbopackIgnore: true */ path, { force: true })
    total -= bytes
  }
}

/** Marks a file as in use until the returned function is called. */
function keepMarked(path: string): () => void {
  const timer = setInterval(() => void mark(path, Date.now()).catch(() => {}), MARK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Sets the time a file was last used. Returns false if it does not exist. */
async function mark(path: string, at: number): Promise<boolean> {
  const time = new Date(at)
  return utimes(/* turbopackIgnore: true */ path, time, time).then(
    () => true,
    (error) => absent(error) ?? false,
  )
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}
