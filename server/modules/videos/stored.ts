import { storage } from '../../platform/storage/storage.ts'
import { extraPrefix, picturePrefix, segmentPrefix, sourceKey } from './media-keys.ts'

/** Storage locations of a video by kind: a prefix, or one key. */
const PLACES = {
  source: (videoId: string) => sourceKey(videoId),
  segments: segmentPrefix,
  pictures: picturePrefix,
  extras: extraPrefix,
} as const

/** Counts a video's stored objects and bytes per kind. */
export async function storedOf(videoId: string) {
  const found = []
  for (const [kind, placeOf] of Object.entries(PLACES)) {
    const counted = { kind, objects: 0, bytes: 0 }
    for await (const { bytes } of objectsAt(placeOf(videoId))) {
      counted.objects++
      counted.bytes += bytes
    }
    found.push(counted)
  }
  return found
}

/** Deletes all stored objects of a video. */
export async function deleteStored(videoId: string): Promise<void> {
  for (const placeOf of Object.values(PLACES)) {
    const place = placeOf(videoId)
    await (place.endsWith('/') ? storage().deletePrefix(place) : storage().delete(place))
  }
}

async function* objectsAt(place: string): AsyncIterable<{ bytes: number }> {
  if (place.endsWith('/')) return yield* storage().listSizes(place)
  const object = await storage().stat(place)
  if (object) yield object
}
