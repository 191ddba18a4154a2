import { createWriteStream } from 'node:fs'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ffmpeg } from '../../../platform/ffmpeg/ffmpeg.ts'
import { readExtra } from '../../videos/extras.ts'
import { mp4Language } from '../probe/mp4-language.ts'
import { FRAGMENTED_FORMAT, OWN_FORMAT } from './segment-files.ts'
import { type MediaSource, plainSegments } from './stored-segments.ts'

type Segments = readonly [name: string, durationSec: number][]

/** A rendition with all its video's audio and captions. */
export interface RemuxInput {
  source: MediaSource
  /** `stream`: its name in `segment_list`. `init`: the initialization section of fragmented MP4. Null: the segments are MPEG-TS. */
  picture: { stream: string; init: Uint8Array | null; segments: Segments }
  /** The video's ID, under which its captions are stored. */
  videoId: string
  audio: readonly { stream: string; name: string; language: string | null; isDefault: boolean; segments: Segments }[]
  captions: readonly { label: string; language: string; name: string }[]
}

/**
 * Writes a rendition to `folder` as an MP4 and returns its path and size: the same video and audio, decrypted and not re-encoded, with
 * every audio track, captions as text tracks, and the index first. Errors: the storage's, ProgramFailed, the system's.
 */
export async function remuxToMp4(
  { picture, source, videoId, audio, captions }: RemuxInput,
  folder: string,
  signal: AbortSignal,
): Promise<{ path: string; bytes: number }> {
  const write = async (name: string, { stream, segments }: { stream: string; segments: Segments }, init: Uint8Array | null = null) => {
    const path = join(folder, name)
    await pipeline(Readable.from(withInit(init, plainSegments({ ...source, stream }, segments))), createWriteStream(path), { signal })
    return path
  }
  const [format, ending] = picture.init ? [FRAGMENTED_FORMAT, 'mp4'] : [OWN_FORMAT, 'ts']
  const shown = await write(`picture.${ending}`, picture, picture.init)
  const inputs = [...format, '-i', shown]
  const reads = [shown]
  const tracks = ['-map', '0:v']
  for (const [at, track] of audio.entries()) {
    const path = await write(`sound-${at}.ts`, track)
    reads.push(path)
    inputs.push(...OWN_FORMAT, '-i', path)
    tracks.push('-map', `${reads.length - 1}:a`, ...named('a', at, track.name, track.language))
    tracks.push(`-disposition:a:${at}`, track.isDefault ? 'default' : '0')
  }
  for (const [at, { label, language, name }] of captions.entries()) {
    const path = join(folder, `captions-${at}.vtt`)
    await writeFile(path, await readExtra(videoId, name))
    reads.push(path)
    inputs.push('-f', 'webvtt', '-i', path)
    tracks.push('-map', `${reads.length - 1}:s`, ...named('s', at, label, language), `-disposition:s:${at}`, '0')
  }
  const made = join(folder, 'made.mp4')
  const copied = ['-c:v', 'copy', '-c:a', 'copy', '-c:s', 'mov_text']
  const output = ['-map_metadata', '-1', '-movflags', '+faststart', '-f', 'mp4', made]
  await ffmpeg([...inputs, ...tracks, ...copied, ...output], { signal, only: { reads, writes: [folder] } })
  return { path: made, bytes: (await stat(made)).size }
}

async function* withInit(init: Uint8Array | null, segments: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (init) yield init
  yield* segments
}

const named = (kind: 'a' | 's', at: number, title: string, language: string | null): string[] => [
  ...[`-metadata:s:${kind}:${at}`, `title=${title}`],
  ...[`-metadata:s:${kind}:${at}`, `handler_name=${title}`],
  ...[`-metadata:s:${kind}:${at}`, `language=${mp4Language(language)}`],
]
