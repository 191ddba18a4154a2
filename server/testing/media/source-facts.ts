import { parseRate } from '../../modules/transcoding/plan/segment-grid.ts'
import type { SourceFacts } from '../../modules/transcoding/probe/probe.ts'

/** Returns the facts of a 720p MP4 without audio, at a frame rate such as `30000/1001`. */
export function sourceFacts(durationSec: number, rate: string, changes: Partial<SourceFacts> = {}): SourceFacts {
  const { frames, seconds } = parseRate(rate)
  return {
    durationSec,
    container: 'mov,mp4,m4a,3gp,3g2,mj2',
    width: 1280,
    height: 720,
    frameRate: { text: rate, value: frames / seconds },
    interlaced: false,
    hdr: undefined,
    colors: { primaries: 'bt709', transfer: 'bt709', matrix: 'bt709', rgb: false },
    videoStream: 0,
    audio: [],
    pictureEndsEarlySec: 0,
    ...changes,
  }
}
