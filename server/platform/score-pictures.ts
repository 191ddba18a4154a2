import { type ChildProcess, spawn } from 'node:child_process'
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stream } from 'node:stream'
import { ProgramFailed } from './ffmpeg.ts'
import { ffmpegProgram, scorerProgram } from './ffmpeg-programs.ts'
import { backgroundEnvironment, type SandboxAccess, sandboxPrefix } from './sandbox.ts'
import { lowerPriority } from './time-slice.ts'

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
  /** Every how many pictures one is scored, the first one first; 1 by default. Its neighbours still count as its motion. */
  every?: number
  threads: number
  signal?: AbortSignal
}

/** Pictures as the scorer reads them: uncompressed, without the times that containers round differently. */
const Y4M = ['-an', '-sn', '-dn', '-pix_fmt', 'yuv420p', '-f', 'yuv4mpegpipe', '-strict', '-1', 'pipe:1']
const QUIET = ['-nostdin', '-hide_banner', '-y', '-v', 'error']
const KEPT_OUTPUT = 16 * 1024

/** Returns the ffmpeg that scores pictures. Throws where there is none. */
export function neededScorer(): string {
  const program = scorerProgram()
  if (!program) throw new Error('No ffmpeg with libvmaf was found: quality cannot be measured.')
  return program
}

/** Returns the filter that scores the pictures of its first input against those of its second one, and writes `log`. */
export const vmafFilter = (log: string, { every, threads }: { every: number; threads: number }): string =>
  `libvmaf=log_fmt=json:log_path=${log}:n_threads=${threads}:n_subsample=${every}:shortest=0:repeatlast=0`

/**
 * Returns what libvmaf logs about each scored picture. Two decoders read the files; the scorer gets their pictures through pipes and can
 * reach no file but its log. Rejects with ProgramFailed when one of them fails, and with an Error where no ffmpeg has libvmaf.
 */
export async function scorePictures({ original, encoded, every = 1, threads, signal }: Input): Promise<unknown> {
  const program = neededScorer()
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-score-'))
  const log = join(folder, 'vmaf.json')
  const children: Running[] = []
  const begin = (...what: Parameters<typeof start>) => {
    const running = start(...what)
    children.push(running)
    return running
  }
  const stop = () => children.map(({ child }) => child.kill('SIGKILL'))
  signal?.addEventListener('abort', stop, { once: true })
  let file: FileHandle | undefined
  try {
    if (typeof original === 'string') file = await open(original)
    signal?.throwIfAborted()
    const filter = `[0:v][1:v]${vmafFilter(log, { every, threads })}`
    const from = [3, 4].flatMap((fd) => ['-f', 'yuv4mpegpipe', '-i', `pipe:${fd}`])
    const reach = { reads: [], writes: [folder] }
    const scorer = begin(program, [...from, '-lavfi', filter, '-f', 'null', '-'], reach, { inputs: ['pipe', file?.fd ?? 'pipe'] })
    const decodeInto = (fd: number, { args, reads }: Pictures) => {
      // The decoder inherits the pipe: passing pictures through this process would cost it as much time as decoding them.
      const output = scorer.child.stdio[fd] as Stream & { destroy(): void }
      const decoder = begin(ffmpegProgram(), ['-threads', String(threads), ...args, ...Y4M], { reads: [...reads], writes: [] }, { output })
      output.destroy()
      return decoder.ended
    }
    // The first input of the filter is the encoded picture.
    const decoders = [decodeInto(3, encoded), ...(typeof original === 'string' ? [] : [decodeInto(4, original)])]
    const results = await Promise.allSettled([...decoders, scorer.ended])
    if (signal?.aborted) throw signal.reason
    // The fault of a decoder comes first, as the scorer only sees that its pictures end; a broken pipe is a fault of the scorer.
    const faults = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason)
    if (faults.length > 0) throw faults.find((fault) => !(fault instanceof ProgramFailed && /Broken pipe/.test(fault.output))) ?? faults[0]
    return JSON.parse(await readFile(log, 'utf8'))
  } finally {
    stop()
    signal?.removeEventListener('abort', stop)
    await file?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Decodes pictures into a file, uncompressed. Rejects with ProgramFailed. */
export async function decodePictures(
  { args, reads }: Pictures,
  path: string,
  { threads, signal }: Pick<Input, 'threads' | 'signal'>,
): Promise<void> {
  const file = await open(path, 'w')
  try {
    signal?.throwIfAborted()
    const reach = { reads: [...reads], writes: [] }
    const { child, ended } = start(ffmpegProgram(), ['-threads', String(threads), ...args, ...Y4M], reach, { output: file.fd })
    const stop = () => child.kill('SIGKILL')
    signal?.addEventListener('abort', stop, { once: true })
    try {
      await ended
    } catch (error) {
      throw signal?.aborted ? signal.reason : error
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  } finally {
    await file.close()
  }
}

interface Running {
  child: ChildProcess
  ended: Promise<void>
}

/** What the descriptors of a program are: 1, and those from 3 on. */
interface Descriptors {
  output?: Stream | number
  inputs?: readonly ('pipe' | number)[]
}

/** Starts ffmpeg in the sandbox. */
function start(program: string, args: readonly string[], reach: SandboxAccess, { output, inputs = [] }: Descriptors): Running {
  const [command, ...rest] = [...sandboxPrefix(program, { online: false, background: true, reach }), program, ...QUIET, ...args] as [
    string,
    ...string[],
  ]
  const child: ChildProcess = spawn(command, rest, {
    stdio: ['ignore', output ?? 'ignore', 'pipe', ...inputs],
    env: backgroundEnvironment(),
  })
  // The lowest priority, where the system has no idle class: all that serves viewers comes first.
  if (child.pid) lowerPriority(child.pid, 19)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-KEPT_OUTPUT)
  })
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, killedBy) => (code === 0 ? resolve() : reject(new ProgramFailed('ffmpeg', code ?? killedBy, said))))
  })
  // Without this, one that fails before another could be started would end the whole service.
  ended.catch(() => {})
  return { child, ended }
}
