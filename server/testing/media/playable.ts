import type { AccountCtx } from '../../context.ts'
import { keyUrl } from '../../modules/delivery/segments/key-url.ts'
import { masterPlaylistUrl } from '../../modules/delivery/sessions/media-permit.ts'
import { newContentKey, sealContentKey, streamKey } from '../../modules/transcoding/encode/content-key.ts'
import { contentName, encryptSegment } from '../../modules/transcoding/encode/segment-store.ts'
import { pictureKey, segmentKey } from '../../modules/videos/media-keys.ts'
import { db } from '../../platform/database/database.ts'
import { randomBase62 } from '../../platform/secrets/crypto.ts'
import { storage } from '../../platform/storage/storage.ts'
import { makeVideo } from '../make.ts'
import { picturePacket } from './picture-packet.ts'

/**
 * Creates a COMPLETED video with one rendition, a segment that begins with a picture, and a poster of noise; returns it with the paths under which it is
 * delivered.
 */
export async function makePlayable(ctx: AccountCtx, { encrypted = true } = {}) {
  const key = newContentKey()
  const plain = Buffer.concat([picturePacket(126_000), Buffer.from(randomBase62(188))])
  const { name: segment, body: segmentBody } = encrypted
    ? encryptSegment(plain, streamKey(key, '360p'), 0)
    : { name: contentName(plain), body: plain }
  const posterBody = Buffer.from(randomBase62(100))
  const poster = contentName(posterBody)
  const id = await makeVideo(ctx, { qualities: ['360p'], durationSec: 4, encrypted, poster, posterCandidates: [poster] })
  await db().media.update({ where: { id }, data: { contentKey: sealContentKey(key, id) } })
  const rates = { bandwidth: 800_000, averageBandwidth: 700_000, codecs: 'avc1.64001f', frameRate: 30, bytes: 100n }
  await db().rendition.create({ data: { mediaId: id, quality: '360p', width: 640, height: 360, segments: [[segment, 4]], ...rates } })
  await storage().put(segmentKey(id, segment), segmentBody)
  await storage().put(pictureKey(id, poster), posterBody)
  const pathOf = (url: string) => url.slice(new URL(url).origin.length)
  const master = pathOf(masterPlaylistUrl(id, 4).url)
  const next = (file: string) => master.replace('master.m3u8', file)
  return {
    id,
    segment: `/cdn/segments/${id}/${segment}.ts`,
    /** Served only to a viewer with a grant or a signed address. */
    granted: [
      master,
      next('360p.m3u8'),
      next('session.json'),
      next('poster.jpg'),
      ...(encrypted ? [pathOf(keyUrl(id, undefined, '360p'))] : []),
    ],
  }
}
