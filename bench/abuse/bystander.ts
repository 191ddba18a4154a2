import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { contentName } from '../../server/modules/transcoding/encrypt.ts'
import { segmentKey } from '../../server/modules/videos/media-keys.ts'
import { storage } from '../../server/platform/storage/storage.ts'
import { send } from '../../server/testing/client.ts'

/** More than the service caches here, so that most are read from the disk. */
const SEGMENTS = 64
const SEGMENT_BYTES = 300_000
const PACE_MS = 20

/** Milliseconds of each response. */
export interface Latencies {
  video: number[]
  segment: number[]
}

/** Stores segments for a video. Returns their addresses relative to the service's. */
export async function storeSegments(videoId: string): Promise<string[]> {
  const bodies = Array.from({ length: SEGMENTS }, () => randomBytes(SEGMENT_BYTES))
  const names = bodies.map(contentName)
  for (const body of bodies) await storage().put(segmentKey(videoId, contentName(body)), body)
  return names.map((name) => `/cdn/segments/${videoId}/${name}.ts`)
}

/** Runs one customer's backend and one viewer at a fixed pace for the given time. Throws at any status but 200. */
export async function bystand(base: string, key: string, videoId: string, segments: readonly string[], ms: number): Promise<Latencies> {
  const until = performance.now() + ms
  const once = async (path: string, headers: Record<string, string>) => {
    const began = performance.now()
    const { status } = await send(base + path, { headers })
    if (status !== 200) throw new Error(`${path} of a bystander returned ${status}.`)
    return performance.now() - began
  }
  const loop = async (path: (at: number) => string, headers: Record<string, string>) => {
    const took: number[] = []
    for (let at = 0; performance.now() < until; at++) {
      took.push(await once(path(at), headers))
      await wait(PACE_MS)
    }
    return took
  }
  const [video, segment] = await Promise.all([
    loop(() => `/v1/video/${videoId}`, { 'x-service-key': key }),
    loop((at) => segments[at % segments.length] as string, {}),
  ])
  return { video, segment }
}

/** Returns the value below which this part of all values lies. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN
