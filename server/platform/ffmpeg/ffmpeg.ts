import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { isAbsolute } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { inSpan } from '../observe/tracing.ts'
import { environment, ffmpegProgram, ffprobeProgram } from './ffmpeg-programs.ts'
import { backgroundEnvironment, kill, type SandboxAccess, sandboxPrefix } from './sandbox.ts'

/** Larger frames are refused before they are decoded: 4096×2176 is the largest that the 2160p rendition can need. */
export const MAX_PIXELS = 8_912_896

const FORMATS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg,mxf'

/**
 * Input options for an uploaded file, for both ffmpeg and ffprobe. Without the two lists, a disguised playlist or manifest makes them read
 * other files or send HTTP requests.
 */
export const guardedInput = (path: string) => [
  ...['-protocol_whitelist', 'file', '-format_whitelist', FORMATS, '-max_pixels', String(MAX_PIXELS)],
  ...['-i', `file:${path}`],
]

/** Input options with which streams are found that begin half a minute after others. By default, ffmpeg looks at the first 5 s. */
export const LATE_STREAMS = ['-analyzeduration', '30000000', '-probesize', '50000000']

/** A program that ended with an error. `output` is the end of its output. */
export class ProgramFailed extends Error {
  /** Exit code, or the signal that ended it. */
  readonly code: number | string | null
  readonly output: string
  /** Whether it needed more memory than it may use, or than there is (the system then kills it). Decoders report that as invalid data. */
  readonly outOfMemory: boolean
  /** Whether the program crashed, for example by accessing memory that is not its own: usually because of a file it cannot handle. */
  readonly crashed: boolean

  constructor(program: string, code: number | string | null, output: string) {
    super(`${program} ended with ${code}: ${output.trim().split('\n').slice(-3).join(' | ')}`)
    this.name = 'ProgramFailed'
    this.code = code
    this.output = output
    this.crashed = typeof code === 'string' && CRASHES.includes(code)
    this.outOfMemory = code === 'SIGKILL' || (OUT_OF_MEMORY.test(output) && !/Picture size/.test(output))
  }
}

/** Messages of ffmpeg and its libraries, including SVT-AV1. A thread that cannot be created had no memory for its stack. */
const OUT_OF_MEMORY =
  /Cannot allocate memory|malloc of size \d+ failed|pthread_create\(\) failed|Resource temporarily unavailable|thread_get_buffer\(\) failed|insufficient resources/

const CRASHES = ['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGILL']

interface RunOptions {
  /** A different ffmpeg than the one in use, such as `av1Program()`. */
  program?: string | undefined
  signal?: AbortSignal
  /** Called with each line of standard output. */
  onLine?: (line: string) => void
  /** Called with standard output as it comes, in place of `onLine`. */
  onOutput?: (bytes: Buffer) => void
  /** Standard input, `pipe:0`. */
  input?: AsyncIterable<Buffer>
  /**
   * The only files it can reach, without network. Required for programs that open uploaded files; if unset, it can reach everything this
   * user can.
   */
  only?: SandboxAccess | undefined
  /** Yields the processor to requests and shorter programs, for work that takes minutes. `last`: to other such work as well. */
  background?: boolean | 'last'
  /** Address space it may use. Defaults to TRANSCODE_MEMORY_MB. */
  megabytes?: number | undefined
}

/** Characters of JSON. Longer output is cut off and so cannot be parsed. */
const MAX_JSON_LENGTH = 4_000_000

interface ProbeOptions extends RunOptions {
  /** Whether to show chapters. */
  chapters?: boolean
  /** A stream whose first frames to show as well. No other stream is then shown. */
  firstFrameOf?: number
}

/** How many packets a decoder may take to show its first frame. */
const FIRST_PACKETS = 10

/** Returns ffprobe's JSON about a file, and its warnings. Rejects with ProgramFailed. */
export async function ffprobe(
  path: string,
  { chapters = false, firstFrameOf, ...options }: ProbeOptions = {},
): Promise<{ found: unknown; complaints: string }> {
  let json = ''
  const onLine = (line: string) => {
    if (json.length < MAX_JSON_LENGTH) json += line
  }
  const show = ['-v', 'warning', '-of', 'json', '-show_format', '-show_streams', '-show_entries', 'program_stream=index']
  if (chapters) show.push('-show_entries', 'chapter=start_time,end_time:chapter_tags=title')
  if (firstFrameOf !== undefined)
    show.push('-select_streams', String(firstFrameOf), '-show_frames', '-read_intervals', `%+#${FIRST_PACKETS}`)
  const only = isAbsolute(path) && existsSync(path) ? { reads: [path], writes: [] } : undefined
  const complaints = await run(ffprobeProgram(), 'ffprobe', [...show, ...LATE_STREAMS, ...guardedInput(path)], { only, ...options, onLine })
  return { found: JSON.parse(json), complaints }
}

/** Lists packets with ffprobe: `stream,time,duration,flags`, in seconds as the file states them, or `N/A`. Resolves with its warnings. */
export const ffprobePackets = (path: string, options: RunOptions): Promise<string> =>
  run(
    ffprobeProgram(),
    'ffprobe',
    [
      '-v',
      'error',
      '-of',
      'csv=p=0',
      '-show_entries',
      'packet=stream_index,pts_time,duration_time,flags',
      ...LATE_STREAMS,
      ...guardedInput(path),
    ],
    { only: { reads: [path], writes: [] }, ...options },
  )

/** Runs ffmpeg to its end. The caller's arguments contain its inputs (`guardedInput`) and outputs. Resolves with its warnings. */
export function ffmpeg(args: string[], options: RunOptions = {}): Promise<string> {
  return run(options.program ?? ffmpegProgram(), 'ffmpeg', ['-nostdin', '-hide_banner', '-y', '-v', 'warning', ...args], options)
}

const KEPT_OUTPUT = 16 * 1024

/** Nice value of background ffmpeg runs. Requests, and short runs that an upload or a person is waiting for, come first. */
const NICE = 15
const SHORT_NICE = 10
const LAST_NICE = 19

/**
 * Runs a program to its end, confined as ffmpeg is. `name` is what errors and traces call it. Resolves with what it printed on standard
 * error, at most 16 KB. Rejects with ProgramFailed, or with the signal's reason.
 */
export const run = (program: string, name: string, args: string[], options: RunOptions): Promise<string> =>
  // The arguments are not attributes of the span, because they name files.
  inSpan(name, { attributes: { 'process.executable.name': name } }, () => spawned(program, name, args, options))

function spawned(
  program: string,
  name: string,
  args: string[],
  { signal, onLine, onOutput, input, only, background = false, megabytes }: RunOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    // ffprobe keeps its priority: an upload is waiting for it.
    const nice = name === 'ffprobe' ? undefined : background === 'last' ? LAST_NICE : background ? NICE : SHORT_NICE
    const prefix = sandboxPrefix(program, { nice, reach: only, ...(megabytes && { megabytes }) })
    const [command, ...rest] = [...prefix, program, ...args] as [string, ...string[]]
    const stdio = [input ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const
    const child = spawn(command, rest, {
      stdio: [...stdio],
      env: background ? backgroundEnvironment() : environment(),
    }) as ChildProcessByStdio<Writable | null, Readable, Readable>
    const fed = input && child.stdin ? feed(input, child.stdin) : Promise.resolve()
    // Checked after the program succeeds; a failed program's own error is more specific.
    fed.catch(() => {})
    const stop = () => kill(child)
    signal?.addEventListener('abort', stop, { once: true })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-KEPT_OUTPUT)
    })
    let partial = ''
    if (onOutput) child.stdout.on('data', onOutput)
    else
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const lines = (partial + text).split('\n')
        partial = lines.pop() ?? ''
        for (const line of lines) onLine?.(line)
      })
    child.on('error', reject)
    child.on('close', (code, killedBy) => {
      signal?.removeEventListener('abort', stop)
      if (partial) onLine?.(partial)
      if (signal?.aborted) reject(signal.reason)
      else if (wasNotStarted(code, said)) reject(new Error(`${program} cannot be run: ${said.trim()}`))
      else if (code === 0) fed.then(() => resolve(said), reject)
      else reject(new ProgramFailed(name, killedBy ?? signalOf(code), said))
    })
  })
}

/** Returns whether a wrapper or shell reports that the program could not be started, which is not the file's fault. */
const wasNotStarted = (code: number | null, said: string) => code === 126 || code === 127 || /^(bwrap|unshare): /.test(said)

/** Returns the signal that a bwrap exit code reports, or else the code. */
const signalOf = (code: number | null): string | number | null =>
  Object.entries(constants.signals).find(([, number]) => code === 128 + number)?.[0] ?? code

/** Resolves when everything is written, or when the program stops reading. Rejects when `input` cannot be read. */
async function feed(input: AsyncIterable<Buffer>, into: Writable): Promise<void> {
  try {
    await pipeline(input, into)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'].includes(code)) throw error
  }
}
