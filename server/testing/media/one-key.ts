import { randomBytes } from 'node:crypto'
import { openContentKey, sealContentKey } from '../../modules/transcoding/encode/content-key.ts'
import { encryptSegment } from '../../modules/transcoding/encode/segment-store.ts'
import { readPlainSegment } from '../../modules/transcoding/encode/stored-segments.ts'
import { renditionName } from '../../modules/videos/codecs-schema.ts'
import { FRAGMENT, segmentKey } from '../../modules/videos/media-keys.ts'
import { db } from '../../platform/database/database.ts'
import { storage } from '../../platform/storage/storage.ts'

/** Gives stored media one key for all its streams, as an early version did: encrypts its segments again. */
export async function withOneKey(mediaId: string): Promise<void> {
  const media = await db().media.findUniqueOrThrow({ where: { id: mediaId }, include: { renditions: true, audio: true, iframes: true } })
  const contentKey = openContentKey(media.contentKey as Uint8Array, mediaId)
  const key = randomBytes(16)
  const again = async (stream: string, segments: unknown) => {
    const list: [string, number][] = []
    for (const [at, [name, durationSec]] of (segments as [string, number][]).entries()) {
      const { name: hash, body } = encryptSegment(await readPlainSegment({ mediaId, contentKey, stream }, name, at), key, at)
      const renamed = name.endsWith(FRAGMENT) ? `${hash}${FRAGMENT}` : hash
      await storage().put(segmentKey(mediaId, renamed), body)
      await storage().delete(segmentKey(mediaId, name))
      list.push([renamed, durationSec])
    }
    return { segments: list }
  }
  for (const { codec, quality, segments } of media.renditions) {
    const data = await again(renditionName({ codec: codec as 'h264' | 'av1', quality }), segments)
    await db().rendition.update({ where: { mediaId_codec_quality: { mediaId, codec, quality } }, data })
  }
  for (const { position, segments } of media.audio) {
    const data = await again(`audio-${position}`, segments)
    await db().audioRendition.update({ where: { mediaId_position: { mediaId, position } }, data })
  }
  for (const { quality, segments } of media.iframes) {
    const data = await again(`iframes-${quality}`, segments)
    await db().iframeRendition.update({ where: { mediaId_quality: { mediaId, quality } }, data })
  }
  await db().media.update({ where: { id: mediaId }, data: { contentKey: sealContentKey(key, mediaId) } })
}
