import { storage } from '../../platform/storage/storage.ts'
import type { Removal } from '../receipts/deletions.ts'
import { downloadPrefix, extraPrefix, picturePrefix, segmentPrefix, sourceKey } from './media-keys.ts'

/** Storage locations of a video by kind: a prefix, or one key. */
const PLACES = {
  source: ({ mediaId }: Removal) => sourceKey(mediaId),
  segments: ({ mediaId }: Removal) => segmentPrefix(mediaId),
  pictures: ({ mediaId }: Removal) => picturePrefix(mediaId),
  downloads: ({ mediaId }: Removal) => downloadPrefix(mediaId),
  extras: ({ videoId }: Removal) => extraPrefix(videoId),
} as const

/** Counts a video's stored objects and bytes per kind. */
export async function storedOf(video: Removal) {
  const found = []
  for (const [kind, placeOf] of Object.entries(PLACES)) {
    const counted = { kind, objects: 0, bytes: 0 }
    for await (const { bytes } of objectsAt(placeOf(video))) {
      counted.objects++
      counted.bytes += bytes
    }
    found.push(counted)
  }
  return found
}

/** Deletes all stored objects of a video. */
export async function deleteStored(video: Removal): Promise<void> {
  for (const placeOf of Object.values(PLACES)) {
    const place = placeOf(video)
    await (place.endsWith('/') ? storage().deletePrefix(place) : storage().delete(place))
  }
}

async function* objectsAt(place: string): AsyncIterable<{ bytes: number }> {
  if (place.endsWith('/')) return yield* storage().listSizes(place)
  const object = await storage().stat(place)
  if (object) yield object
}
