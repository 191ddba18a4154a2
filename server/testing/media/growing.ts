import type { AccountCtx } from '../../context.ts'
import type { GrowingPlan } from '../../modules/delivery/playlists/growing-streams.ts'
import { newContentKey, sealContentKey } from '../../modules/transcoding/encode/content-key.ts'
import { markPlayable } from '../../modules/videos/mark-playable.ts'
import { db } from '../../platform/database/database.ts'
import { sha256 } from '../../platform/secrets/crypto.ts'
import { makeVideo } from '../make.ts'

/** Seconds and segments of a chunk in these plans. */
const SEGMENT_SEC = 4
const PER_CHUNK = 3
const QUALITIES = { '720p': [1280, 720, 2_800_000], '360p': [640, 360, 800_000] } as const

export interface GrowingVideo {
  id: string
  /** Stores the results of these chunks. */
  finishChunks(...positions: number[]): Promise<void>
  /** Stores an audio track's first segments. */
  addSound(position: number, segments: number): Promise<void>
  /** Emits `video.playable`; returns whether it became playable. */
  markPlayable(): Promise<boolean>
  /** Stores its renditions and sets it COMPLETED. */
  complete(): Promise<void>
}

const nameOf = (...parts: (string | number)[]) => sha256(parts.join('/')).toString('hex').slice(0, 32)

/** Returns segments as tasks store them. */
const segmentsOf = (of: string, first: number, count: number) =>
  Array.from({ length: count }, (_, at): [string, number, number] => [nameOf(of, first + at), SEGMENT_SEC, 1_000 * (first + at + 1)])

/**
 * Creates a PROCESSING video with a plan of `chunks` chunks of 12 s at two qualities, and audio tracks in these languages. Its segments are
 * not stored.
 */
export async function makeGrowing(
  ctx: AccountCtx,
  { chunks = 3, languages = ['en'], encrypted = true }: { chunks?: number; languages?: string[]; encrypted?: boolean } = {},
): Promise<GrowingVideo> {
  const durationSec = chunks * PER_CHUNK * SEGMENT_SEC
  const id = await makeVideo(ctx, { status: 'PROCESSING', qualities: [], durationSec, encrypted, completedAt: null })
  if (encrypted) await db().media.update({ where: { id }, data: { contentKey: sealContentKey(newContentKey(), id) } })
  const plan: GrowingPlan = {
    facts: {
      frameRate: { text: '30', value: 30 },
      audio: languages.map((language, at) => ({ language, name: `Track ${at}`, isDefault: at === 0 })),
    },
    renditions: Object.entries(QUALITIES).map(([quality, [width, height, maxVideoRate]]) => {
      return { quality, width, height, maxVideoRate }
    }),
    segmentSec: SEGMENT_SEC,
    chunks: Array.from({ length: chunks }, (_, position) => ({ position })),
  }
  await db().transcodeQueue.update({ where: { mediaId: id }, data: { plan: { version: 1, ...plan } } })
  await db().transcodeTask.createMany({
    data: [
      ...plan.chunks.map(({ position }) => ({ mediaId: id, kind: 'video', position })),
      ...languages.map((_, position) => ({ mediaId: id, kind: 'audio', position })),
    ],
  })
  const store = async (kind: string, position: number, result: object) =>
    void (await db().transcodeTask.update({ where: { mediaId_kind_position: { mediaId: id, kind, position } }, data: { result } }))
  const picture = (quality: string, first: number, count: number) => segmentsOf(`${id}/${quality}`, first, count)
  const sound = (position: number, count: number) => segmentsOf(`${id}/audio/${position}`, 0, count)
  return {
    id,
    async finishChunks(...positions) {
      for (const position of positions) {
        const parts = Object.keys(QUALITIES).map((quality) => {
          return [quality, { codecs: 'avc1.640028', segments: picture(quality, position * PER_CHUNK, PER_CHUNK) }]
        })
        await store('video', position, { frames: PER_CHUNK * SEGMENT_SEC * 30, renditions: Object.fromEntries(parts) })
      }
    },
    addSound: (position, segments) => store('audio', position, { codecs: 'mp4a.40.2', segments: sound(position, segments) }),
    markPlayable: () => db().$transaction((tx) => markPlayable(tx, { accountId: ctx.accountId, videoId: id })),
    async complete() {
      const rates = { bandwidth: 500_000, averageBandwidth: 400_000, bytes: 9n }
      const all = chunks * PER_CHUNK
      const short = (segments: [string, number, number][]) => segments.map(([name, seconds]) => [name, seconds])
      await db().$transaction([
        db().rendition.createMany({
          data: Object.entries(QUALITIES).map(([quality, [width, height]]) => {
            const stream = { mediaId: id, quality, width, height, codecs: 'avc1.640028', frameRate: 30, ...rates }
            return { ...stream, segments: short(picture(quality, 0, all)) }
          }),
        }),
        db().audioRendition.createMany({
          data: plan.facts.audio.map(({ language, name, isDefault }, position) => {
            const track = { mediaId: id, position, language, name, isDefault, channels: 2, codecs: 'mp4a.40.2' }
            return { ...track, ...rates, segments: short(sound(position, all)) }
          }),
        }),
        db().media.update({ where: { id }, data: { status: 'COMPLETED', qualities: Object.keys(QUALITIES), completedAt: new Date() } }),
        db().video.update({ where: { id }, data: { completedAt: new Date() } }),
        db().transcodeQueue.delete({ where: { mediaId: id } }),
      ])
    },
  }
}
