import { randomInt } from 'node:crypto'
import { linesOf, type Part } from '../../platform/backup/parts.ts'
import type { Storage } from '../../platform/storage/storage-port.ts'
import { mediaLine } from './media-list.ts'
import type { SampledSegment } from './play-segments.ts'

interface Options {
  /** Where the backup is. */
  place: Storage
  list: readonly Part[]
  /** How many random segments to return. */
  segments: number
  signal: AbortSignal
}

/** Returns random segments from a list of media, or all of them if there are fewer. Errors: BackupFault. */
export async function sampleSegments({ place, list, segments, signal }: Options): Promise<SampledSegment[]> {
  const sampler = new Sampler(segments)
  for await (const text of linesOf(place, list)) {
    signal.throwIfAborted()
    const line = mediaLine.parse(JSON.parse(text))
    for (const { key, fault } of line.objects) {
      const [, mediaId, name] = /^segments\/(vid_\w+)\/([0-9a-f]+(?:\.m4s$)?)/.exec(key) ?? []
      if (mediaId && name && !fault) sampler.offer({ videoId: line.video, mediaId, name })
    }
  }
  return sampler.taken
}

/** Takes a uniform sample of segments offered one after another (reservoir sampling). */
class Sampler {
  readonly taken: SampledSegment[] = []
  private readonly size: number
  private offered = 0

  constructor(size: number) {
    this.size = size
  }

  offer(segment: SampledSegment): void {
    this.offered++
    if (this.taken.length < this.size) this.taken.push(segment)
    else {
      const at = randomInt(this.offered)
      if (at < this.size) this.taken[at] = segment
    }
  }
}
