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
    for await (const key of keysAt(placeOf(videoId))) {
      const object = await storage().stat(key)
      if (!object) continue
      counted.objects++
      counted.bytes += object.bytes
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

async function* keysAt(place: string): AsyncIterable<string> {
  if (place.endsWith('/')) yield* storage().list(place)
  else yield place
}
