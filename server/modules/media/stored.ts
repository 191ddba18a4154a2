import { storage } from '../../platform/storage/storage.ts'
import type { Removal } from '../audit/receipts/deletions.ts'
import { downloadPrefix, extraPrefix, picturePrefix, segmentPrefix, sourceKey } from '../videos/media-keys.ts'

/** Storage locations of a removal by kind: prefixes, or keys. */
const PLACES = {
  source: ({ mediaIds }: Removal) => mediaIds.map(sourceKey),
  segments: ({ mediaIds }: Removal) => mediaIds.map(segmentPrefix),
  pictures: ({ mediaIds }: Removal) => mediaIds.map(picturePrefix),
  downloads: ({ mediaIds }: Removal) => mediaIds.map(downloadPrefix),
  extras: ({ videoId }: Removal) => (videoId === null ? [] : [extraPrefix(videoId)]),
} as const

/** Counts the stored objects and bytes of a removal per kind. */
export async function storedOf(removal: Removal) {
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
export async function deleteStored(removal: Removal): Promise<void> {
  for (const placesOf of Object.values(PLACES))
    for (const place of placesOf(removal)) await (place.endsWith('/') ? storage().deletePrefix(place) : storage().delete(place))
}

async function* objectsAt(place: string): AsyncIterable<{ bytes: number }> {
  if (place.endsWith('/')) return yield* storage().listSizes(place)
  const object = await storage().stat(place)
  if (object) yield object
}
