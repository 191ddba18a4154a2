import { randomUUID } from 'node:crypto'
import { copyFile, link, mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { installationId, LOST, MARKER } from './installation-marker.ts'
import { StorageError } from './storage-error.ts'
import { checkKey, checkPrefix, type Storage } from './storage-port.ts'

/** Bytes read at a time. */
const PART = 256 * 1024
/** Buffers kept for reuse: allocating one per chunk costs several times as much as reading it. */
const MAX_SPARE = 64
const spare: Buffer[] = []

/** Stores objects as files under `root`. Unfinished writes are in `root/.tmp`, a name that no key can have. */
export function diskStorage(root: string, check: (store: Storage) => Promise<void> = async () => {}): Storage {
  const unfinished = join(root, '.tmp')
  const pathOf = (key: string) => join(root, checkKey(key))

  /**
   * Creates the folder of unfinished writes. Refuses a root that lost its marker, except to store the marker: files below an unmounted
   * volume would be lost.
   */
  async function openFolder(key: string): Promise<void> {
    if (key !== MARKER && installationId() !== undefined && !(await stat(/* turbopackIgnore: true */ join(root, MARKER)).catch(absent)))
      throw new StorageError('STORAGE_UNAVAILABLE', { message: LOST })
    await mkdir(/* turbopackIgnore: true */ unfinished, { recursive: true })
  }

  /** Stores an object: `write` fills a temporary file, which is then renamed to the key's path. Both are on disk before this resolves. */
  async function place(key: string, write: (path: string) => Promise<void>): Promise<void> {
    const path = pathOf(key)
    const temporary = join(unfinished, randomUUID())
    try {
      await withFolder(
        () => write(temporary),
        () => openFolder(key),
      )
      await withFolder(
        () => rename(/* turbopackIgnore: true */ temporary, path),
        () => mkdir(/* turbopackIgnore: true */ dirname(path), { recursive: true }),
      )
      // Absent: whoever removed the folder in the meantime removed the object.
      await syncFolder(dirname(path)).catch(absent)
    } catch (error) {
      await rm(/* turbopackIgnore: true */ temporary, { force: true }).catch(() => {})
      throw asFault(error as Error)
    }
  }

  const store: Storage = {
    put: (key, content) =>
      place(key, async (path) => {
        const file = await open(/* turbopackIgnore: true */ path, 'wx', 0o600)
        try {
          await file.writeFile(content)
          await file.datasync()
        } finally {
          await file.close()
        }
      }),

    putFile: (key, source) =>
      place(key, async (path) => {
        // A hard link copies no bytes. Another file system, or one without links, needs a copy.
        await link(/* turbopackIgnore: true */ source, path).catch(() => copyFile(/* turbopackIgnore: true */ source, path))
        const file = await open(/* turbopackIgnore: true */ path, 'r')
        try {
          await file.datasync()
        } finally {
          await file.close()
        }
      }),

    async *read(key, range) {
      const file = await open(/* turbopackIgnore: true */ pathOf(key), 'r').catch((error) => Promise.reject(asFault(error)))
      const memory = spare.pop() ?? Buffer.allocUnsafeSlow(PART)
      try {
        const end = range ? range.end + 1 : Number.POSITIVE_INFINITY
        for (let at = range?.start ?? 0; at < end; ) {
          const { bytesRead } = await file.read(memory, 0, Math.min(PART, end - at), at)
          if (bytesRead === 0) return
          at += bytesRead
          yield memory.subarray(0, bytesRead)
        }
      } finally {
        if (spare.length < MAX_SPARE) spare.push(memory)
        await file.close()
      }
    },

    async stat(key) {
      const found = await stat(/* turbopackIgnore: true */ pathOf(key)).catch(absentOrFault)
      return found?.isFile() ? { bytes: found.size } : undefined
    },

    async delete(key) {
      await rm(/* turbopackIgnore: true */ pathOf(key), { force: true }).catch(absentOrFault)
    },

    async deletePrefix(prefix) {
      const folder = join(root, checkPrefix(prefix))
      // A worker that has yet to learn of the removal may store a file in the meantime, so ENOTEMPTY is retried.
      await rm(/* turbopackIgnore: true */ folder, { recursive: true, force: true, maxRetries: 10 }).catch(absentOrFault)
    },

    async *list(prefix) {
      yield* keysBelow(join(root, checkPrefix(prefix)), prefix)
    },

    async *listSizes(prefix) {
      for await (const key of store.list(prefix)) {
        const found = await stat(/* turbopackIgnore: true */ pathOf(key)).catch(absentOrFault)
        if (found) yield { key, bytes: found.size, storedAt: found.mtime }
      }
    },

    async localFile(key) {
      if (!(await store.stat(key))) throw new StorageError('STORAGE_OBJECT_MISSING')
      return { path: pathOf(key), release: async () => {} }
    },

    async sweep(olderThanMs) {
      for (const name of (await readdir(/* turbopackIgnore: true */ unfinished).catch(absent)) ?? []) {
        const path = join(unfinished, name)
        const found = await stat(/* turbopackIgnore: true */ path).catch(absent)
        if (found && Date.now() - found.mtimeMs > olderThanMs) await rm(/* turbopackIgnore: true */ path, { force: true })
      }
    },

    check: () => check(store),
  }
  return store
}

/** How often a folder is created for one write: another process may remove it in between. */
const ATTEMPTS = 10

/** Runs `work`, which needs a folder, and creates the folder whenever it is missing: others create and remove it at the same time. */
async function withFolder(work: () => Promise<void>, create: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error
      await create()
    }
  }
}

/** Yields the keys of files in a folder and below, a few entries at a time: there may be millions. */
async function* keysBelow(folder: string, prefix: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(/* turbopackIgnore: true */ folder)) {
      if (entry.isFile()) yield prefix + entry.name
      else if (entry.isDirectory()) yield* keysBelow(join(folder, entry.name), `${prefix}${entry.name}/`)
    }
  } catch (error) {
    absentOrFault(error as NodeJS.ErrnoException)
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
  return undefined
}

/** System error codes with which a network file system or a failing disk refuses access. */
const UNAVAILABLE = ['ESTALE', 'ENOTCONN', 'ETIMEDOUT', 'EHOSTDOWN', 'EHOSTUNREACH', 'ENODEV', 'ENXIO', 'EREMOTEIO']

/** Returns a system error as a StorageError if the store is at fault, otherwise unchanged. ENOSPC has its own handling. */
function asFault(error: NodeJS.ErrnoException): Error {
  const { code = '', syscall } = error
  if (UNAVAILABLE.includes(code))
    return new StorageError('STORAGE_UNAVAILABLE', { message: `The media storage is unavailable: ${code}.`, cause: error })
  return code === 'ENOENT' && syscall === 'open' ? new StorageError('STORAGE_OBJECT_MISSING', { cause: error }) : error
}

function absentOrFault(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
  throw asFault(error as Error)
}

/** Flushes a folder: a rename survives a power cut only once its folder is on disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(/* turbopackIgnore: true */ path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
