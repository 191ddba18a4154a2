import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { diskStorage } from '../storage/disk.ts'
import { fetchOnce } from '../storage/fetched-files.ts'
import { s3Storage } from '../storage/s3.ts'
import { s3Client } from '../storage/s3-client.ts'
import type { Storage } from '../storage/storage-port.ts'
import type { BackupPlace } from './backup-url.ts'

const PRIVATE = 0o700

/**
 * Opens the store of a place. Keys start with `backups/` or `media/`. A folder must already exist: if its volume is not mounted, a new
 * folder on the disk below would take its place. Errors: in words for the operator.
 */
export async function openBackupStore(place: BackupPlace): Promise<Storage> {
  if ('bucket' in place) return s3Storage({ connect: () => s3Client(place.bucket), fetch: fetchOnce, check: async () => {} })
  const found = await stat(place.folder).catch(() => undefined)
  if (!found?.isDirectory()) throw new Error(`The folder ${place.folder} does not exist. Create it, or mount its volume.`)
  // The disk store creates this folder only below a media store's marker.
  await mkdir(join(place.folder, '.tmp'), { recursive: true, mode: PRIVATE })
  return diskStorage(place.folder)
}

/** Returns a view of a store in which every key starts with `prefix`, which ends with a slash. */
export function storeBelow(store: Storage, prefix: string): Storage {
  const shorter = (key: string) => key.slice(prefix.length)
  return {
    put: (key, content, headers) => store.put(prefix + key, content, headers),
    putFile: (key, path, headers) => store.putFile(prefix + key, path, headers),
    read: (key, range) => store.read(prefix + key, range),
    stat: (key) => store.stat(prefix + key),
    delete: (key) => store.delete(prefix + key),
    deletePrefix: (below) => store.deletePrefix(prefix + below),
    async *list(below) {
      for await (const key of store.list(prefix + below)) yield shorter(key)
    },
    async *listSizes(below) {
      for await (const found of store.listSizes(prefix + below)) yield { ...found, key: shorter(found.key) }
    },
    localFile: (key, signal) => store.localFile(prefix + key, signal),
    sweep: (olderThanMs) => store.sweep(olderThanMs),
    check: () => store.check(),
  }
}
