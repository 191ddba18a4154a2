import { type ChildProcess, spawn } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ProgramFailed } from './ffmpeg.ts'
import { environment, ffmpegProgram, scorerProgram } from './ffmpeg-programs.ts'
import { type SandboxAccess, sandboxPrefix } from './sandbox.ts'

/** Pictures to decode: arguments of ffmpeg from its inputs (`guardedInput`) to its filters, and the files that it may reach. */
export interface Pictures {
  args: readonly string[]
  reads: readonly string[]
}

interface Input {
  /** The pictures as they should be, or the file into which `decodePictures` wrote them. */
  original: Pictures | string
  /** The same pictures, encoded; as many, of the same size and rate. */
  encoded: Pictures
  threads: number
  signal?: AbortSignal
}

/** Pictures as the scorer reads them: uncompressed, without the times that containers round differently. */
const Y4M = ['-an', '-sn', '-dn', '-pix_fmt', 'yuv420p', '-f', 'yuv4mpegpipe', '-strict', '-1', 'pipe:1']
const QUIET = ['-nostdin', '-hide_banner', '-y', '-v', 'error']
const KEPT_OUTPUT = 16 * 1024

/**
 * Returns what libvmaf logs about each picture. Two decoders read the files; the scorer gets their pictures through pipes and can reach no
 * file but its log. Rejects with ProgramFailed when one of them fails, and with an Error where no ffmpeg has libvmaf.
 */
export async function scorePictures({ original, encoded, threads, signal }: Input): Promise<unknown> {
  const program = scorerProgram()
  if (!program) throw new Error('No ffmpeg with libvmaf was found: quality cannot be measured.')
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-score-'))
  const log = join(folder, 'vmaf.json')
  const children: Running[] = []
  const begin = (path: string, args: readonly string[], reach: SandboxAccess, inputs = 0) => {
    const running = start(path, args, reach, inputs)
    children.push(running)
    return running
  }
  const stop = () => children.map(({ child }) => child.kill('SIGKILL'))
  signal?.addEventListener('abort', stop, { once: true })
  try {
    signal?.throwIfAborted()
    const decode = ({ args, reads }: Pictures) =>
      begin(ffmpegProgram(), ['-threads', String(threads), ...args, ...Y4M], { reads: [...reads], writes: [] })
    // The first input of the filter is the encoded picture.
    const decoders = [encoded, original].map((pictures) => (typeof pictures === 'string' ? undefined : decode(pictures)))
    const filter = `[0:v][1:v]libvmaf=log_fmt=json:log_path=${log}:n_threads=${threads}:shortest=0:repeatlast=0`
    const inputs = [3, 4].flatMap((fd) => ['-f', 'yuv4mpegpipe', '-i', `pipe:${fd}`])
    const scorer = begin(program, [...inputs, '-lavfi', filter, '-f', 'null', '-'], { reads: [], writes: [folder] }, 2)
    const pipes = decoders.map((decoder, at) =>
      feed(decoder ? (decoder.child.stdout as Readable) : createReadStream(original as string), scorer.child.stdio[3 + at] as Writable),
    )
    const results = await Promise.allSettled([...decoders.map((decoder) => decoder?.ended), scorer.ended, ...pipes])
    if (signal?.aborted) throw signal.reason
    // The fault of a decoder comes first: the scorer only sees that its pictures end.
    for (const result of results) if (result.status === 'rejected') throw result.reason
    return JSON.parse(await readFile(log, 'utf8'))
  } finally {
    stop()
    signal?.removeEventListener('abort', stop)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Decodes pictures into a file, uncompressed. Rejects with ProgramFailed. */
export async function decodePictures(
  { args, reads }: Pictures,
  path: string,
  { threads, signal }: Pick<Input, 'threads' | 'signal'>,
): Promise<void> {
  signal?.throwIfAborted()
  const { child, ended } = start(ffmpegProgram(), ['-threads', String(threads), ...args, ...Y4M], { reads: [...reads], writes: [] }, 0)
  const stop = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const results = await Promise.allSettled([pipeline(child.stdout as Readable, createWriteStream(path)), ended])
    if (signal?.aborted) throw signal.reason
    for (const result of results) if (result.status === 'rejected') throw result.reason
  } finally {
    stop()
    signal?.removeEventListener('abort', stop)
  }
}

interface Running {
  child: ChildProcess
  ended: Promise<void>
}

/** Starts ffmpeg in the sandbox, with pipes for `inputs` further descriptors from 3 on. */
function start(program: string, args: readonly string[], reach: SandboxAccess, inputs: number): Running {
  const [command, ...rest] = [...sandboxPrefix(program, { online: false, background: true, reach }), program, ...QUIET, ...args] as [
    string,
    ...string[],
  ]
  const further = Array.from({ length: inputs }, () => 'pipe' as const)
  const child: ChildProcess = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe', ...further], env: environment() })
  if (child.pid) lowerPriority(child.pid)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_OUTPUT)
  })
  if (inputs > 0) child.stdout?.resume()
  // A killed scorer resets its pipes (ECONNRESET), also after all pictures are written; how it ended is in `ended`.
  for (const pipe of child.stdio.slice(3)) pipe?.on('error', () => {})
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, killedBy) => (code === 0 ? resolve() : reject(new ProgramFailed('ffmpeg', code ?? killedBy, said))))
  })
  return { child, ended }
}

/** The lowest priority, where the system has no idle class: all that serves viewers comes first. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, 19)
  } catch {
    // The process has ended, or this system forbids the change.
  }
}

/** Resolves when all is written or the scorer reads no more: its own exit says why. */
async function feed(from: Readable, into: Writable): Promise<void> {
  try {
    await pipeline(from, into)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'].includes(code)) throw error
  }
}
