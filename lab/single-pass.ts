import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AUDIO_RATE } from '../server/modules/transcoding/encode/encode-audio.ts'
import { KEY_FRAME_SEC, MASTER, SEGMENT_SEC, segmentFolder } from '../server/modules/transcoding/encode/segment-files.ts'
import { encoderArguments } from '../server/modules/transcoding/plan/encoders.ts'
import type { TranscodePlan } from '../server/modules/transcoding/plan/plan.ts'
import { guardedInput } from '../server/platform/ffmpeg/ffmpeg.ts'
import { ffmpegProgram } from '../server/platform/ffmpeg/ffmpeg-programs.ts'

/** Name of the track of sound among the renditions. */
const SOUND = 'sound'

interface Input {
  source: string
  /** An empty folder for the output: the master playlist, and a playlist and a folder of segments for each stream. */
  folder: string
  plan: TranscodePlan
  threads: number
}

/** Returns the streams of a pass: the renditions, highest first, and the sound where there is any. */
export const streamsOf = ({ renditions, facts }: TranscodePlan): string[] => [
  ...renditions.map(({ quality }) => quality),
  ...(facts.audio.length > 0 ? [SOUND] : []),
]

/** Encodes the ladder of an SDR, progressive source in one pass of one process: what it costs without the pipeline and its sandbox. */
export async function encodeInOnePass(input: Input): Promise<void> {
  await run(ffmpegProgram(), [], input)
}

/** Encodes on one core (`taskset`), and returns the seconds. */
export async function encodeOnCore(input: Omit<Input, 'threads'>, core: number): Promise<number> {
  const began = performance.now()
  await run('taskset', ['-c', String(core), ffmpegProgram()], { ...input, threads: 1 })
  return (performance.now() - began) / 1_000
}

/** Runs ffmpeg as a shell does, without the service's allocator settings. */
async function run(program: string, before: string[], input: Input): Promise<void> {
  for (const stream of streamsOf(input.plan)) await mkdir(segmentFolder(input.folder, stream), { recursive: true })
  await promisify(execFile)(program, [...before, '-nostdin', '-y', '-v', 'error', ...singlePassArguments(input)])
}

/** Returns the arguments of ffmpeg: one decoder, each rendition scaled from the one above, the default track encoded once. */
function singlePassArguments({ source, folder, plan, threads }: Input): string[] {
  const { facts, renditions } = plan
  const sound = facts.audio.find(({ isDefault }) => isDefault)
  const maxRates = renditions.map(({ maxVideoRate }) => maxVideoRate)
  const encoding = encoderArguments('x264', { maxRates, threads, keyFrames: `expr:gte(t,n_forced*${KEY_FRAME_SEC})`, reorder: true })
  const group = sound ? ',agroup:audio' : ''
  const streams = renditions.map(({ quality }, at) => `v:${at}${group},name:${quality}`)
  return [
    ...['-threads', String(threads)],
    ...guardedInput(source),
    ...['-filter_complex', filters(plan), '-filter_complex_threads', String(threads)],
    ...renditions.flatMap((_, at) => ['-map', `[v${at}]`]),
    ...(sound ? ['-map', `0:${sound.stream}`, '-c:a', 'aac', '-b:a', String(AUDIO_RATE), '-ac', '2', '-ar', '48000'] : []),
    ...encoding.output,
    ...['-f', 'hls', '-hls_time', String(SEGMENT_SEC), '-hls_playlist_type', 'vod', '-hls_segment_type', 'mpegts'],
    ...['-hls_flags', 'independent_segments', '-hls_list_size', '0', '-master_pl_name', MASTER],
    ...['-hls_segment_filename', join(folder, '%v', '%05d.ts')],
    ...['-var_stream_map', [...streams, ...(sound ? [`a:0${group},name:${SOUND},default:yes`] : [])].join(' ')],
    join(folder, '%v.m3u8'),
  ]
}

function filters({ facts, renditions }: TranscodePlan): string {
  return renditions
    .map(({ width, height }, at) => {
      const input = at === 0 ? `[0:${facts.videoStream}]fps=${facts.frameRate.text},` : `[c${at}]`
      const scaled = `${input}scale=${width}:${height}:flags=bicubic,setsar=1${at === 0 ? ',format=yuv420p' : ''}`
      return at === renditions.length - 1 ? `${scaled}[v${at}]` : `${scaled},split=2[v${at}][c${at + 1}]`
    })
    .join(';')
}
