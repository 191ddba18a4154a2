import { join } from 'node:path'
import { guardedInput } from '../../platform/ffmpeg.ts'
import type { Rung } from './ladder.ts'
import type { SourceFacts } from './probe.ts'

/** Seconds between key frames, the same on every rung, and of a segment: a player may switch at each. */
export const KEY_FRAME_SEC = 2
export const SEGMENT_SEC = 4

/** How our own segments are opened. Of a tiny one ffmpeg guesses another format. */
export const OWN_FORMAT = ['-f', 'mpegts']

/** Where one pass puts things: `<quality>/<number>.ts`, `<quality>.m3u8` and the master list under `folder`. */
export const MASTER = 'master.m3u8'
export const playlistOf = (folder: string, quality: string) => join(folder, `${quality}.m3u8`)
export const segmentFile = (folder: string, quality: string, sequence: number) =>
  join(folder, quality, `${String(sequence).padStart(5, '0')}.ts`)
export const segmentFolder = (folder: string, quality: string) => join(folder, quality)

/** One ffmpeg pass for all rungs, highest first: decoded once, each rung scaled from the one above it. */
export function encodeArguments(input: {
  source: string
  folder: string
  facts: SourceFacts
  rungs: readonly Rung[]
  threads: number
  /** Whether this ffmpeg can compute tone mapping (zscale, tonemap) and not only look it up. */
  exactTones: boolean
}): string[] {
  const { source, folder, facts, rungs, threads, exactTones } = input
  const sound = facts.audioStream !== undefined
  return [
    // Of the decoder, which would take one a core.
    ...['-threads', String(threads)],
    ...guardedInput(source),
    ...['-filter_complex', filters(facts, rungs, exactTones)],
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
    // A segment has its name when it is finished, and another until then.
    ...['-hls_flags', 'independent_segments+temp_file', '-hls_list_size', '0', '-master_pl_name', MASTER],
    ...['-hls_segment_filename', join(folder, '%v', '%05d.ts')],
    ...['-var_stream_map', rungs.map(({ quality }, at) => `v:${at},${sound ? `a:${at},` : ''}name:${quality}`).join(' ')],
    join(folder, '%v.m3u8'),
  ]
}

function filters(facts: SourceFacts, rungs: readonly Rung[], exactTones: boolean): string {
  const { videoStream, audioStream, mono, frameRate, interlaced, hdr, pictureEndsEarlySec, soundEndsEarlySec } = facts
  const chains: string[] = []
  const lines = interlaced ? 'bwdif=mode=send_field:deint=interlaced,' : ''
  // The first frame also stands where sound came before it; the last one where sound goes on after it.
  const held = pictureEndsEarlySec > 0 ? `,tpad=stop_mode=clone:stop_duration=${pictureEndsEarlySec.toFixed(3)}` : ''
  const tones = hdr ? `${toneMapping(hdr, exactTones)},` : ''
  rungs.forEach((rung, at) => {
    const from = at === 0 ? `[0:${videoStream}]${lines}fps=${frameRate.text}:start_time=0${held},` : `[c${at}]`
    // Without setsar after every scale 426 columns would play as 427.
    const first = at === 0 ? `:out_range=tv,setsar=1,${tones}format=yuv420p` : ',setsar=1'
    const last = at === rungs.length - 1
    chains.push(`${from}scale=${rung.width}:${rung.height}:flags=bicubic${first}${last ? `[v${at}]` : `,split=2[v${at}][c${at + 1}]`}`)
  })
  if (audioStream !== undefined) {
    const outputs = rungs.map((_, at) => `[a${at}]`).join('')
    const silence = soundEndsEarlySec > 0 ? `,apad=pad_dur=${soundEndsEarlySec.toFixed(3)}` : ''
    // Gaps, also one before the first word, become silence, so that sound keeps its place beside the picture.
    // One channel on both sides is as loud as it was; the usual way would take 3 dB from it.
    const stereo = mono ? 'pan=stereo|c0=c0|c1=c0' : 'aformat=channel_layouts=stereo'
    const steady = `aresample=48000:async=1:first_pts=0,${stereo}${silence}`
    chains.push(`[0:${audioStream}]${steady},asplit=${rungs.length}${outputs}`)
  }
  return chains.join(';')
}

const LIGHT = { pq: 'smpte2084', hlg: 'arib-std-b67' }

/** The brightest light kept apart from white: 1,000 nits, in hundreds. What films are mastered to, mostly. */
const PEAK = 10

/** HDR (BT.2020, limited range) brought down to BT.709. Done at the top rung's size, where it costs least. */
function toneMapping(hdr: 'pq' | 'hlg', exact: boolean): string {
  if (exact) {
    const linear = `setparams=color_primaries=bt2020:color_trc=${LIGHT[hdr]}:colorspace=bt2020nc:range=tv,zscale=t=linear:npl=100,format=gbrpf32le`
    return `${linear},zscale=p=bt709,tonemap=hable:desat=0:peak=${PEAK},zscale=t=bt709:m=bt709:r=tv`
  }
  const matrix = 'scale=in_color_matrix=bt2020:out_color_matrix=bt709'
  const tagged = 'setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709'
  // HLG was made to look right on screens that know nothing of it; of PQ (SMPTE ST 2084) brightness alone is looked up, by the same curve.
  if (hdr === 'hlg') return `${matrix},${tagged}`
  const light =
    'st(0,pow(clip((val-minval)/(maxval-minval),0,1),1/78.84375));st(1,100*pow(max(ld(0)-0.8359375,0)/(18.8515625-18.6875*ld(0)),1/0.1593017578))'
  const curve = '((ld(1)*(ld(1)*0.15+0.05)+0.004)/(ld(1)*(ld(1)*0.15+0.5)+0.06)-0.0666667)/0.70622'
  const shown = `minval+(maxval-minval)*pow(clip(${curve},0,1),1/2.4)`
  return `${matrix},lutyuv=y='${light};${shown}',${tagged}`
}
