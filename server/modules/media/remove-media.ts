import { log } from '../../platform/observe/log.ts'
import { storage } from '../../platform/storage/storage.ts'
import {
  confirmRemoved,
  leaseRemovals,
  postponeRemoval,
  type Removal,
  recordStoredFiles,
  removalsOf,
  type StoredFiles,
} from '../audit/receipts/deletions.ts'
import { purgeCdnOf } from '../videos/cdn-purge.ts'
import { downloadPrefix, extraPrefix, picturePrefix, segmentPrefix, sourceKey } from '../videos/media-keys.ts'

/** Removals leased at once: few statements for many videos, and little to repeat if the process is killed. */
const BATCH = 128
/** How many removals delete objects concurrently: removal waits for the storage most of the time. */
const AT_ONCE = 16
/** Seconds until another worker may remove a leased batch's media. */
const LEASE_SEC = 900
/** Rounds of removal before it fails and is repeated later. */
const ROUNDS = 5

/** Removes the media of purged videos until none is due. Any number of workers may run it. Runs as the job `media.remove`. */
export async function removeDueMedia(signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const removals = await leaseRemovals({ count: BATCH, leaseSec: LEASE_SEC })
    if (removals.length === 0) return
    const failed = await removeAll(removals).catch((error: unknown) => new Map(removals.map(({ id }) => [id, error])))
    for (const [id, error] of failed) {
      const { videoId, mediaIds } = removals.find((one) => one.id === id) as Removal
      log().warn({ err: error, videoId: videoId ?? mediaIds[0] }, 'could not remove the media of a purged video; retrying later')
      await postponeRemoval(id)
    }
  }
}

/** Removes at once what is stored of a purged video, or of media whose row is gone, by its ID. Throws if objects are left. */
export async function removeMedia(id: string): Promise<void> {
  const recorded = await removalsOf(id)
  const removals = recorded.length > 0 ? recorded : [{ id: '', videoId: id, mediaIds: [id] }]
  for (const error of (await removeAll(removals)).values()) throw error
}

/**
 * Removes everything stored of purged videos, checks the storage again, and signs their deletion receipts. Returns the errors of those that
 * could not be removed completely.
 */
async function removeAll(removals: readonly Removal[]): Promise<Map<string, unknown>> {
  // A lost volume is an empty folder, and a receipt would wrongly state that the media was removed.
  await storage().check()
  const failed = new Map<string, unknown>()
  /** Calls `work` for each that has not failed, some at once. */
  const each = async (work: (removal: Removal) => Promise<void>) => {
    const waiting = removals.filter(({ id }) => !failed.has(id)).values()
    const next = async () => {
      for (const one of waiting) await work(one).catch((error: unknown) => void failed.set(one.id, error))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
  }
  const found = new Map<string, StoredFiles[]>()
  await each(async (one) => void found.set(one.id, await storedOf(one)))
  await recordStoredFiles([...found].map(([id, stored]) => ({ id, stored })))
  await each(deleteAll)
  const removed = removals.filter(({ id }) => !failed.has(id))
  await purgeCdnOf(removed.flatMap(({ mediaIds }) => mediaIds))
  await confirmRemoved(removed.map(({ id }) => id))
  return failed
}

/** Deletes the objects of a removal until a search finds none. */
async function deleteAll(removal: Removal): Promise<void> {
  let left: StoredFiles[] = []
  // An encoder that has not been notified yet may store more in the meantime. It removes its last objects when it notices.
  for (let round = 0; round < ROUNDS; round++) {
    await deleteStored(removal)
    left = (await storedOf(removal)).filter(({ objects }) => objects > 0)
    if (left.length === 0) return
  }
  throw new Error(
    `Storage still contains ${left.map(({ kind, objects }) => `${objects} ${kind}`).join(', ')} of ${removal.videoId ?? removal.mediaIds[0]}.`,
  )
}

/** Where a removal's objects are stored, by kind: prefixes, or keys. */
const PLACES = {
  source: ({ mediaIds }: Removal) => mediaIds.map(sourceKey),
  segments: ({ mediaIds }: Removal) => mediaIds.map(segmentPrefix),
  pictures: ({ mediaIds }: Removal) => mediaIds.map(picturePrefix),
  downloads: ({ mediaIds }: Removal) => mediaIds.map(downloadPrefix),
  extras: ({ videoId }: Removal) => (videoId === null ? [] : [extraPrefix(videoId)]),
} as const

/** Counts a removal's stored objects and bytes by kind. */
async function storedOf(removal: Removal) {
  const found = []
  for (const [kind, placesOf] of Object.entries(PLACES)) {
    const counted = { kind, objects: 0, bytes: 0 }
    for (const place of placesOf(removal))
      for await (const { bytes } of objectsAt(place)) {
        counted.objects++
        counted.bytes += bytes
      }
    found.push(counted)
  }
  return found
}

/** Deletes all stored objects of a removal. */
async function deleteStored(removal: Removal): Promise<void> {
  for (const placesOf of Object.values(PLACES))
    for (const place of placesOf(removal)) await (place.endsWith('/') ? storage().deletePrefix(place) : storage().delete(place))
}

async function* objectsAt(place: string): AsyncIterable<{ bytes: number }> {
  if (place.endsWith('/')) return yield* storage().listSizes(place)
  const object = await storage().stat(place)
  if (object) yield object
}
