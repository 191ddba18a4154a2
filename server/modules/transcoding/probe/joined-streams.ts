import { ffprobePackets } from '../../../platform/ffmpeg/ffmpeg.ts'
import { SourceRejectedError } from './source-fault.ts'
import type { Stream } from './source-streams.ts'

interface Joined {
  streams: readonly Stream[]
  /** Stream numbers. */
  others: readonly number[]
  video: number
  /** Of reading the packets. */
  warnings: string
  signal: AbortSignal
}

/** ffmpeg's warning about a stream that it did not know at the start, with its kind and number. */
const NEW_STREAM = /New (\w+) stream (?:0:|with index )(\d+)/

/** Refuses a joined recording that continues in another video stream. `others`: further video streams of the same program. */
export async function refuseJoined(path: string, { streams, others, video, warnings, signal }: Joined): Promise<void> {
  const [, kind, number] = NEW_STREAM.exec(warnings) ?? []
  // ffmpeg skips the number of a video stream whose first packet came later. New audio streams are normal.
  let goesOn = kind === 'video' || Number(number) > streams.length || /multistream ogg/.test(warnings)
  if (!goesOn && others.length > 0) {
    const counts = { further: 0, since: 0 }
    const onLine = (line: string) => {
      const stream = Number.parseInt(line, 10)
      if (others.includes(stream)) counts.further++
      else if (stream === video && counts.further > 0) counts.since++
    }
    await ffprobePackets(path, { signal, onLine })
    // The last packet of a stream is complete once the file ends.
    goesOn = counts.further > 2 && counts.since <= 2
  }
  if (goesOn)
    throw new SourceRejectedError(
      'The video in this file continues in another stream, as if recordings were joined byte by byte. Join them in a video editor, or upload them separately.',
    )
}
