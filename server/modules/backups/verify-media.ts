import { linesOf, type Part } from '../../platform/backup/parts.ts'
import { pool } from '../../platform/database/database.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import { sizesBelow } from './copy-media.ts'
import { type MediaLine, mediaLine, referencedMedia } from './media-list.ts'

interface Verified {
  videos: number
  objects: number
  bytes: number
  faults: string[]
}

interface Options {
  /** Where the backup is. */
  place: Storage
  list: readonly Part[]
  /** Where the listed objects are. */
  media: Storage
  signal: AbortSignal
}

/**
 * Compares the list of media with the restored database, which must refer to nothing outside the list, and each listed object with the
 * store: it must be there with its size.
 */
export async function verifyMedia({ place, list, media, signal }: Options): Promise<Verified> {
  const verified: Verified = { videos: 0, objects: 0, bytes: 0, faults: [] }
  /** Number of listed objects by media. */
  const listed = new Map<string, number>()
  for await (const text of linesOf(place, list)) {
    signal.throwIfAborted()
    const line = mediaLine.parse(JSON.parse(text))
    listed.set(line.media, line.objects.length)
    verified.videos++
    verified.faults.push(...(await check(line, media, verified)))
  }
  for await (const { id, named } of referencedMedia(pool())) {
    signal.throwIfAborted()
    const expected = 1 + [...named.values()].reduce((sum, names) => sum + names.size, 0)
    const count = listed.get(id)
    if (count === undefined) verified.faults.push(`the list of media lacks ${id}`)
    // Fewer: the service removed what nothing referred to anymore while the backup ran, and the list is what was left.
    else if (count > expected) verified.faults.push(`the list of media has objects of ${id} that nothing refers to`)
  }
  return verified
}

/** Counts the objects that are in the store with their size. Returns one line for each other one. */
async function check({ video, objects }: MediaLine, media: Storage, counts: { objects: number; bytes: number }): Promise<string[]> {
  const faults: string[] = []
  const folders = Map.groupBy(objects, ({ key }) => key.slice(0, key.lastIndexOf('/') + 1))
  for (const [prefix, within] of folders) {
    // All sources share a prefix.
    const sizes = within.length > 1 ? await sizesBelow(media, prefix) : undefined
    for (const { key, bytes, fault } of within) {
      const found = sizes ? sizes.get(key) : (await media.stat(key))?.bytes
      if (fault) faults.push(`${key} of ${video} was ${fault} when the backup was made`)
      else if (found === undefined) faults.push(`${key} of ${video} is missing`)
      else if (found !== bytes) faults.push(`${key} of ${video} has ${found} bytes instead of ${bytes}`)
      else {
        counts.objects++
        counts.bytes += bytes
      }
    }
  }
  return faults
}
