import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { env } from './env.ts'
import { environment, ffmpegProgram, ffprobeProgram } from './ffmpeg-programs.ts'
import { processWide } from './process-wide.ts'

/** Frames larger than this are refused before they are decoded: 4096×2176, the largest the 2160p rung can need. */
export const MAX_PIXELS = 8_912_896

const FORMATS = 'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg,mxf'

/**
 * What an uploaded file is opened with, by ffmpeg and ffprobe alike. Without the two lists a playlist or manifest in
 * disguise makes them read other files or make HTTP requests.
 */
export const guardedInput = (path: string) => [
  ...['-protocol_whitelist', 'file', '-format_whitelist', FORMATS, '-max_pixels', String(MAX_PIXELS)],
  ...['-i', `file:${path}`],
]

/** A program that ended badly; `output` is the end of what it said. */
export class ProgramFailed extends Error {
  readonly output: string
  /** It wanted more memory than it may have, or than there is (then the system kills it). Decoders call that invalid data. */
  readonly outOfMemory: boolean

  constructor(program: string, code: number | string | null, output: string) {
    super(`${program} ended with ${code}: ${output.trim().split('\n').slice(-3).join(' | ')}`)
    this.name = 'ProgramFailed'
    this.output = output
    this.outOfMemory = code === 'SIGKILL' || (OUT_OF_MEMORY.test(output) && !/Picture size/.test(output))
  }
}

/** Of ffmpeg and its libraries. A thread that cannot be made had no room for its stack. */
const OUT_OF_MEMORY =
  /Cannot allocate memory|malloc of size \d+ failed|pthread_create\(\) failed|Resource temporarily unavailable|thread_get_buffer\(\) failed/

/**
 * What util-linux puts around a program that reads strangers' files, as far as this system lets it: no network and no rights
 * beyond the files' (a user namespace of its own), an end together with ours even when we are killed, bounded memory.
 */
const cage = (online: boolean) =>
  processWide(`cage-${online}`, () => {
    const { TRANSCODE_MEMORY_MB } = env()
    const unprivileged = ['unshare', '--user', '--map-user=65534', '--map-group=65534', ...(online ? [] : ['--net'])]
    const away = works(unprivileged) ?? (online ? undefined : works(['unshare', '--net'])) ?? []
    // Inside, as a change of user would undo it; without it a killed worker leaves its ffmpeg running.
    const leash = works(['setpriv', '--pdeathsig', 'KILL', '--no-new-privs']) ?? works(['setpriv', '--pdeathsig', 'KILL']) ?? []
    const kilobytes = TRANSCODE_MEMORY_MB * 1024
    const bounds =
      works(['prlimit', `--as=${kilobytes * 1024}`, `--stack=${STACK_KB * 1024}`, '--core=0']) ??
      works(['sh', '-c', `ulimit -v ${kilobytes} && ulimit -s ${STACK_KB} && ulimit -c 0 && exec "$0" "$@"`]) ??
      []
    return [...away, ...leash, ...bounds]
  })

/** Of each thread. The usual 8 MB, of which next to nothing is used, would count as memory, a hundred times and more. */
const STACK_KB = 2_048

/** The words before a command, if a command can be run with them. */
function works(words: string[]): string[] | undefined {
  const [program = '', ...rest] = words
  // The build would take every file below the project for what this may run, films included.
  return spawnSync(/* turbopackIgnore: true */ program, [...rest, 'true'], { env: environment() }).status === 0 ? words : undefined
}

interface RunOptions {
  signal?: AbortSignal
  /** Called with each line of standard output. */
  onLine?: (line: string) => void
  /** What it reads from its standard input, `pipe:0`. */
  input?: AsyncIterable<Buffer>
  /** Leaves the network within reach, for what fetches from an address of ours. */
  online?: boolean
}

/** Characters of JSON; a file that makes ffprobe say more is cut off in the middle and so cannot be read. */
const LARGEST_ANSWER = 4_000_000

/** What ffprobe says about a file: its JSON, and its complaints. Rejects with ProgramFailed. */
export async function ffprobe(path: string, options: RunOptions = {}): Promise<{ found: unknown; complaints: string }> {
  let json = ''
  const onLine = (line: string) => {
    if (json.length < LARGEST_ANSWER) json += line
  }
  const show = ['-v', 'error', '-of', 'json', '-show_format', '-show_streams']
  const complaints = await run(ffprobeProgram(), 'ffprobe', [...show, ...guardedInput(path)], { ...options, onLine })
  return { found: JSON.parse(json), complaints }
}

/** Runs ffmpeg to its end; the caller's arguments hold its inputs (`guardedInput`) and outputs. Resolves with its warnings. */
export function ffmpeg(args: string[], options: RunOptions = {}): Promise<string> {
  return run(ffmpegProgram(), 'ffmpeg', ['-nostdin', '-hide_banner', '-y', '-v', 'warning', ...args], options)
}

const KEPT_OUTPUT = 16 * 1024

function run(program: string, name: string, args: string[], { signal, onLine, input, online = false }: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const [command, ...rest] = [...cage(online), program, ...args] as [string, ...string[]]
    const stdio = [input ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const
    const child = spawn(command, rest, { stdio: [...stdio], env: environment() }) as ChildProcessByStdio<
      Writable | null,
      Readable,
      Readable
    >
    const fed = input && child.stdin ? feed(input, child.stdin) : Promise.resolve()
    // Looked at when the program has ended well; why it ended badly says more.
    fed.catch(() => {})
    // Encoding takes what the rest of the machine leaves over; the web server comes first.
    if (child.pid && name === 'ffmpeg') lower(child.pid)
    const kill = () => child.kill('SIGKILL')
    signal?.addEventListener('abort', kill, { once: true })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-KEPT_OUTPUT)
    })
    let partial = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (partial + text).split('\n')
      partial = lines.pop() ?? ''
      for (const line of lines) onLine?.(line)
    })
    child.on('error', reject)
    child.on('close', (code, killedBy) => {
      signal?.removeEventListener('abort', kill)
      if (partial) onLine?.(partial)
      if (signal?.aborted) reject(signal.reason)
      // How these wrappers and shells say that the program itself could not be started: no fault of the file.
      else if (code === 126 || code === 127) reject(new Error(`${program} cannot be run: ${said.trim()}`))
      else if (code === 0) fed.then(() => resolve(said), reject)
      else reject(new ProgramFailed(name, code ?? killedBy, said))
    })
  })
}

/** Resolves when all is written, or when the program wants no more of it; rejects when `input` cannot be read. */
async function feed(input: AsyncIterable<Buffer>, into: Writable): Promise<void> {
  try {
    await pipeline(input, into)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'].includes(code)) throw error
  }
}

function lower(pid: number): void {
  try {
    setPriority(pid, 10)
  } catch {
    // It has ended already, or this system does not let us: then it runs as it is.
  }
}
