import { join } from 'node:path'
import { guardedInput } from '../infra/ffmpeg.ts'
import type { Rung } from './ladder.ts'
import type { SourceFacts } from './probe.ts'

/** Seconds between key frames, the same on every rung, and of a segment: a player may switch at each. */
export const KEY_FRAME_SEC = 2
export const SEGMENT_SEC = 4

/** Where one pass puts things: `<quality>/<number>.ts`, `<quality>.m3u8` and the master list under `folder`. */
export const MASTER = 'master.m3u8'
export const playlistOf = (folder: string, quality: string) => join(folder, `${quality}.m3u8`)
export const segmentFolder = (folder: string, quality: string) => join(folder, quality)

/** One ffmpeg pass for all rungs, highest first: decoded once, each rung scaled from the one above it. */
export function encodeArguments(input: {
  source: string
  folder: string
  facts: SourceFacts
  rungs: readonly Rung[]
  threads: number
}): string[] {
  const { source, folder, facts, rungs, threads } = input
  const sound = facts.audioStream !== undefined
  return [
    ...guardedInput(source),
    ...['-filter_complex', filters(facts, rungs)],
    ...['-filter_complex_threads', String(threads)],
    ...rungs.flatMap((_, at) => ['-map', `[v${at}]`, ...(sound ? ['-map', `[a${at}]`] : [])]),
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'high', '-crf', '22', '-threads', String(threads)],
    // The long group only yields to the forced key frames, so that their times are identical on every rung.
    ...['-g', '600', '-sc_threshold', '0', '-force_key_frames', `expr:gte(t,n_forced*${KEY_FRAME_SEC})`],
    ...rungs.flatMap((rung, at) => [
      ...[`-maxrate:v:${at}`, String(rung.maxVideoRate), `-bufsize:v:${at}`, String(rung.maxVideoRate * 2)],
      ...(sound ? [`-b:a:${at}`, String(rung.audioRate)] : []),
    ]),
    ...(sound ? ['-c:a', 'aac'] : []),
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...['-progress', 'pipe:1', '-stats_period', '0.5'],
    ...['-f', 'hls', '-hls_time', String(SEGMENT_SEC), '-hls_playlist_type', 'vod', '-hls_segment_type', 'mpegts'],
    ...['-hls_flags', 'independent_segments', '-hls_list_size', '0', '-master_pl_name', MASTER],
    ...['-hls_segment_filename', join(folder, '%v', '%05d.ts')],
    ...['-var_stream_map', rungs.map(({ quality }, at) => `v:${at},${sound ? `a:${at},` : ''}name:${quality}`).join(' ')],
    join(folder, '%v.m3u8'),
  ]
}

function filters({ videoStream, audioStream, frameRate, interlaced }: SourceFacts, rungs: readonly Rung[]): string {
  const chains: string[] = []
  const first = interlaced ? 'bwdif=mode=send_frame:deint=interlaced,' : ''
  rungs.forEach((rung, at) => {
    const from = at === 0 ? `[0:${videoStream}]${first}fps=${frameRate.text},` : `[c${at}]`
    // Without setsar after every scale 426 columns would play as 427.
    const scaled = `scale=${rung.width}:${rung.height}:flags=bicubic,setsar=1${at === 0 ? ',format=yuv420p' : ''}`
    const last = at === rungs.length - 1
    chains.push(`${from}${scaled}${last ? `[v${at}]` : `,split=2[v${at}][c${at + 1}]`}`)
  })
  if (audioStream !== undefined) {
    const outputs = rungs.map((_, at) => `[a${at}]`).join('')
    // Gaps become silence, so that sound keeps its place beside the picture.
    chains.push(`[0:${audioStream}]aresample=48000:async=1,aformat=channel_layouts=stereo,asplit=${rungs.length}${outputs}`)
  }
  return chains.join(';')
}
