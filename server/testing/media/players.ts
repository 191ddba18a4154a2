import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { ffmpegProgram } from '../../platform/ffmpeg/ffmpeg-programs.ts'

/** What a player decoded, or decoded from what it saved. */
export type Played = { /** Lines of warnings and errors. */ complaints: string[] } & (Counted | Reported)

export interface Counted {
  /** Pictures of the one picture track. */
  frames: number
  /** Seconds of sound of each audio track that it played. */
  sound: number[]
}

/** What a player reports about some frames and audio, including the last ones: seconds from the first to the last. */
export interface Reported {
  pictureSec: number
  /** 0 without sound. */
  soundSec: number
}

/** ffmpeg and what is built on it say so of every playlist with captions. */
const NO_CAPTIONS = /Can't support the subtitle/

export interface Player {
  name: string
  /** Absent: the program is not installed. */
  path: string | undefined
  /** Whether it plays all audio tracks or the default one. */
  /** `muxed`: it does not play audio outside the video stream. */
  tracks: 'all' | 'default' | 'muxed'
  /** Whether it saves a video as a file. */
  saves?: boolean
  play(address: string): Promise<Played>
}

/** Returns players from other projects that decode HLS, each used as a user would. */
export const players = (): Player[] => [
  { name: 'ffmpeg', path: ffmpegProgram(), tracks: 'all', play: (address) => decoded(address) },
  { name: 'mpv', path: installed('mpv'), tracks: 'default', play: inMpv },
  { name: 'GStreamer', path: installed('gst-launch-1.0'), tracks: 'default', play: inGStreamer },
  // Its own muxer refuses the two streams of such a video as invalid; ffmpeg alone reads both.
  { name: 'streamlink', path: installed('streamlink'), tracks: 'muxed', saves: true, play: (address) => saved(address, streamlink) },
  { name: 'yt-dlp', path: installed('yt-dlp'), tracks: 'default', saves: true, play: (address) => saved(address, ytDlp) },
]

function installed(program: string): string | undefined {
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program))
  return found.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Runs a program to its end and returns its output; rejects when it fails or takes a minute. */
function output(program: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000, killSignal: 'SIGKILL' })
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (text) => (said[name] += text))
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve(said)
      else reject(new Error(`${program} ended with ${code ?? signal}:\n${said.stdout.slice(-2_000)}\n${said.stderr.slice(-2_000)}`))
    })
  })
}

const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '' && !NO_CAPTIONS.test(line))

/** Decodes the best picture and all sound of an address or a file with ffmpeg. */
async function decoded(address: string): Promise<Played> {
  const hashes = ['-f', 'framehash', '-hash', 'crc32', '-']
  const { stdout, stderr } = await output(ffmpegProgram(), [
    ...['-nostdin', '-v', 'warning', '-i', address, '-map', '0:v:0'],
    ...['-map', '0:a?'],
    ...hashes,
  ])
  return { ...counted(stdout), complaints: lines(stderr) }
}

/** Counts the lines of ffmpeg's `framehash`: stream, dts, pts, duration, size, hash. */
function counted(hashes: string): Counted {
  // `#tb 1: 1/48000` is the time base of stream 1.
  const bases = new Map(
    [...hashes.matchAll(/^#tb (\d+): (\d+)\/(\d+)$/gm)].map(([, at, one, per]) => [Number(at), Number(one) / Number(per)]),
  )
  const pictures = Number(/^#media_type (\d+): video$/m.exec(hashes)?.[1])
  const units = new Map<number, number>()
  let frames = 0
  for (const row of lines(hashes)) {
    if (row.startsWith('#')) continue
    const [stream, , , duration] = row.split(',').map(Number) as [number, number, number, number]
    if (stream === pictures) frames++
    else units.set(stream, (units.get(stream) ?? 0) + duration)
  }
  return { frames, sound: [...units].map(([stream, sum]) => sum * (bases.get(stream) ?? Number.NaN)) }
}

/** Plays with mpv, which writes a hash of what it would show. Its front end warns about a busy machine, so only its errors count. */
async function inMpv(address: string): Promise<Played> {
  return inFolder(async (folder) => {
    const path = join(folder, 'frames')
    const shown = ['--ovc=rawvideo', '--oac=pcm_s16le', '--of=framehash', '--ofopts=hash=crc32', `--o=${path}`]
    const { stdout, stderr } = await output('mpv', [
      '--no-config',
      '--msg-level=all=warn,cplayer=error',
      '--hls-bitrate=max',
      ...shown,
      address,
    ])
    return { ...counted(await readFile(path, 'utf8')), complaints: [...lines(stdout), ...lines(stderr)] }
  })
}

/**
 * Plays with GStreamer's playbin at the video's own speed, whose sinks describe buffers as they pass. With `sync=false`, video can end
 * before audio starts, and one playback in about 100 then loses an audio segment.
 */
async function inGStreamer(address: string): Promise<Played> {
  const sink = (name: string) => `fakesink name=${name} sync=true silent=false`
  const sinks = [`video-sink=${sink('picture')}`, `audio-sink=${sink('sound')}`]
  const { stdout, stderr } = await output('gst-launch-1.0', ['-v', 'playbin', `uri=${address}`, 'connection-speed=100000', ...sinks])
  const sec = (text = '') => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  const span = (name: string): number => {
    const buffers = [...stdout.matchAll(new RegExp(`\\(${name}:sink\\).*? pts: ([\\d:.]+), duration: ([\\d:.]+)`, 'g'))]
    const times = buffers.map(([, pts, duration]) => [sec(pts), sec(pts) + sec(duration)] as const)
    return times.length === 0 ? 0 : Math.max(...times.map(([, end]) => end)) - Math.min(...times.map(([begin]) => begin))
  }
  const complaints = [...lines(stdout).filter((line) => /^(WARN|ERROR)/.test(line)), ...lines(stderr)]
  return { pictureSec: span('picture'), soundSec: span('sound'), complaints }
}

type Saver = (address: string, path: string) => [program: string, ...args: string[]]
const streamlink: Saver = (address, path) => [
  'streamlink',
  '--config',
  '/dev/null',
  '--loglevel',
  'warning',
  '-o',
  path,
  `hlsvariant://${address}`,
  'best',
]
const ytDlp: Saver = (address, path) => [
  'yt-dlp',
  '--ignore-config',
  '--no-progress',
  '--quiet',
  '-f',
  'bv*+ba/b',
  '--merge-output-format',
  'mkv',
  '-o',
  path,
  address,
]

/** Downloads with a program and decodes the file. */
async function saved(address: string, saver: Saver): Promise<Played> {
  return inFolder(async (folder) => {
    const path = join(folder, 'video.mkv')
    const [program, ...args] = saver(address, path)
    const { stdout, stderr } = await output(program, args)
    const played = await decoded(path)
    return { ...played, complaints: [...lines(stdout), ...lines(stderr), ...played.complaints] }
  })
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-player-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
