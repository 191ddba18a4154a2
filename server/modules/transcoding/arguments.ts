import { join } from 'node:path'
import { guardedInput } from '../../platform/ffmpeg.ts'
import type { RenditionSpec } from './ladder.ts'
import type { SourceFacts } from './probe.ts'
import { toneMapping } from './tone-mapping.ts'

/** Seconds between key frames and per segment, equal in every rendition: a player may switch renditions at each. */
export const KEY_FRAME_SEC = 2
export const SEGMENT_SEC = 4

/** Input format of the service's own segments, given explicitly: ffmpeg detects a wrong format for very small ones. */
export const OWN_FORMAT = ['-f', 'mpegts']

/** File names of one pass under `folder`: `<quality>/<number>.ts`, `<quality>.m3u8` and the master playlist. */
export const MASTER = 'master.m3u8'
export const playlistOf = (folder: string, quality: string) => join(folder, `${quality}.m3u8`)
export const segmentFile = (folder: string, quality: string, sequence: number) =>
  join(folder, quality, `${String(sequence).padStart(5, '0')}.ts`)
export const segmentFolder = (folder: string, quality: string) => join(folder, quality)

/**
 * Returns the arguments of one ffmpeg pass for all renditions, highest first: one decoder, each rendition scaled from the one
 * above.
 */
export function encodeArguments(input: {
  source: string
  folder: string
  facts: SourceFacts
  renditions: readonly RenditionSpec[]
  threads: number
  /** Whether this ffmpeg can compute tone mapping (zscale, tonemap); without it a lookup table approximates it. */
  exactTones: boolean
}): string[] {
  const { source, folder, facts, renditions, threads, exactTones } = input
  const sound = facts.audioStream !== undefined
  return [
    // Threads of the decoder, whose default is one per core.
    ...['-threads', String(threads)],
    ...guardedInput(source),
    ...['-filter_complex', filters(facts, renditions, exactTones)],
    ...['-filter_complex_threads', String(threads)],
    ...renditions.flatMap((_, at) => ['-map', `[v${at}]`, ...(sound ? ['-map', `[a${at}]`] : [])]),
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-profile:v', 'high', '-crf', '22', '-threads', String(threads)],
    // The long group of pictures leaves key frames to -force_key_frames, so that their times are identical in every rendition.
    ...['-g', '600', '-sc_threshold', '0', '-force_key_frames', `expr:gte(t,n_forced*${KEY_FRAME_SEC})`],
    ...renditions.flatMap((rendition, at) => [
      ...[`-maxrate:v:${at}`, String(rendition.maxVideoRate), `-bufsize:v:${at}`, String(rendition.maxVideoRate * 2)],
      ...(sound ? [`-b:a:${at}`, String(rendition.audioRate)] : []),
    ]),
    ...(sound ? ['-c:a', 'aac'] : []),
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...['-progress', 'pipe:1', '-stats_period', '0.5'],
    ...['-f', 'hls', '-hls_time', String(SEGMENT_SEC), '-hls_playlist_type', 'vod', '-hls_segment_type', 'mpegts'],
    // temp_file: a segment gets its final name only when it is complete.
    ...['-hls_flags', 'independent_segments+temp_file', '-hls_list_size', '0', '-master_pl_name', MASTER],
    ...['-hls_segment_filename', join(folder, '%v', '%05d.ts')],
    ...['-var_stream_map', renditions.map(({ quality }, at) => `v:${at},${sound ? `a:${at},` : ''}name:${quality}`).join(' ')],
    join(folder, '%v.m3u8'),
  ]
}

function filters(facts: SourceFacts, renditions: readonly RenditionSpec[], exactTones: boolean): string {
  const { videoStream, audioStream, mono, frameRate, interlaced, hdr, pictureEndsEarlySec, soundEndsEarlySec } = facts
  const chains: string[] = []
  const lines = interlaced ? 'bwdif=mode=send_field:deint=interlaced,' : ''
  // start_time=0 repeats the first frame where the sound starts earlier; tpad repeats the last frame where the sound ends later.
  const held = pictureEndsEarlySec > 0 ? `,tpad=stop_mode=clone:stop_duration=${pictureEndsEarlySec.toFixed(3)}` : ''
  const tones = hdr ? `${toneMapping(hdr, exactTones)},` : ''
  renditions.forEach((rendition, at) => {
    const from = at === 0 ? `[0:${videoStream}]${lines}fps=${frameRate.text}:start_time=0${held},` : `[c${at}]`
    // Without setsar after every scale, 426 columns would be displayed as 427.
    const first = at === 0 ? `:out_range=tv,setsar=1,${tones}format=yuv420p` : ',setsar=1'
    const last = at === renditions.length - 1
    chains.push(
      `${from}scale=${rendition.width}:${rendition.height}:flags=bicubic${first}${last ? `[v${at}]` : `,split=2[v${at}][c${at + 1}]`}`,
    )
  })
  if (audioStream !== undefined) {
    const outputs = renditions.map((_, at) => `[a${at}]`).join('')
    const silence = soundEndsEarlySec > 0 ? `,apad=pad_dur=${soundEndsEarlySec.toFixed(3)}` : ''
    // Gaps, including one before the first sample, become silence, which keeps sound in sync with the picture.
    // Mono copied to both channels keeps its loudness; the default conversion lowers it by 3 dB.
    const stereo = mono ? 'pan=stereo|c0=c0|c1=c0' : 'aformat=channel_layouts=stereo'
    const steady = `aresample=48000:async=1:first_pts=0,${stereo}${silence}`
    chains.push(`[0:${audioStream}]${steady},asplit=${renditions.length}${outputs}`)
  }
  return chains.join(';')
}
