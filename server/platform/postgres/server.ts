import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { alive, type Cluster, program, send } from './cluster.ts'

interface StartOptions {
  /** `name=value`, in the form of PostgreSQL's `-c`. */
  settings: string[]
  /** Called when a server must be started. */
  port: () => Promise<number>
  signal?: AbortSignal
}

interface Running {
  pid: number
  port: number
}

/**
 * Starts this cluster's server unless it is running (`attached`). Resolves when it accepts connections. Errors: with the end of the
 * server's log; the signal's reason, after everything started here has ended.
 */
export async function ensureRunning(cluster: Cluster, options: StartOptions): Promise<Running & { attached: boolean }> {
  const { settings, signal } = options
  for (let attempt = 1; ; attempt++) {
    const found = await settled(cluster, signal)
    if (found) return { ...found, attached: true }
    const port = await options.port()
    const { pid, problem } = await launch(cluster, [...settings, `port=${port}`], signal)
    if (pid) return { pid, port, attached: false }
    signal?.throwIfAborted()
    // Children of a killed server hold the cluster for a moment, and another process may be starting it.
    if (attempt === 20) throw new Error(`PostgreSQL did not start in ${cluster.dir}:\n${problem}`)
    await wait(500, undefined, { signal })
  }
}

/**
 * Stops the server by fast shutdown: sessions end, and everything acknowledged is on disk. After 15 s, stops it by immediate shutdown, from
 * which the next start recovers.
 */
export async function stopServer({ dir }: Pick<Cluster, 'dir'>, pid: number): Promise<void> {
  for (let waited = 0; serves(pid, dir); waited += 25) {
    if (waited === 0) send(pid, 'SIGINT')
    if (waited === 15_000) send(pid, 'SIGQUIT')
    if (waited === 20_000) throw new Error(`PostgreSQL (pid ${pid}) does not stop.`)
    await wait(25)
  }
}

/** Returns the server running on this cluster once it has finished starting. Undefined if none is running. */
export async function settled({ dir }: Pick<Cluster, 'dir'>, signal?: AbortSignal): Promise<Running | undefined> {
  for (;;) {
    signal?.throwIfAborted()
    const found = pidFile(dir)
    if (!found) return undefined
    if (found.pid === undefined) {
      removeDamaged(dir)
      return undefined
    }
    if (!serves(found.pid, dir)) {
      forgetPid(dir, found.pid)
      return undefined
    }
    if (found.ready) return { pid: found.pid, port: found.port }
    await wait(25)
  }
}

const LOG_BYTES = 10 * 1024 ** 2

/** Resolves with the pid once the server accepts connections, or with the reason of the failure. */
async function launch(cluster: Cluster, settings: string[], signal?: AbortSignal): Promise<{ pid?: number; problem?: string }> {
  const logFile = join(cluster.dir, 'server.log')
  if (sizeOf(logFile) > LOG_BYTES) renameSync(logFile, `${logFile}.1`)
  const before = sizeOf(logFile)
  const output = openSync(logFile, 'a', 0o600)
  const child = program(cluster, 'postgres', ['-D', cluster.dir, ...settings.flatMap((setting) => ['-c', setting])], output)
  closeSync(output)
  child.unref()
  const end: { problem?: string } = {}
  child.on('error', ({ message }) => (end.problem = message))
  child.on('exit', (code, killedBy) => (end.problem = `postgres ended with ${code ?? killedBy}`))
  for (let asked = false; end.problem === undefined; await wait(20)) {
    if (signal?.aborted && !asked) asked = child.kill('SIGINT')
    const found = pidFile(cluster.dir)
    if (!asked && found?.ready && found.pid === child.pid) return { pid: found.pid }
  }
  const said = readFileSync(logFile).subarray(before).toString().trim().split('\n').slice(-12)
  return { problem: [end.problem, ...said].join('\n') }
}

const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0)

type PidFile = (Running & { ready: boolean }) | { pid: undefined; ready: false }

/** Reads the server's pid, port and state from its pid file. Undefined without one. A damaged file has no pid. */
function pidFile(dir: string): PidFile | undefined {
  let lines: string[]
  try {
    lines = readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
  // PostgreSQL reads the number the same way. It is negative for a single-session server.
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10))
  return pid > 0 ? { pid, port: Number(lines[3]), ready: lines[7]?.trim() === 'ready' } : { pid: undefined, ready: false }
}

/** A starting server creates its pid file and fills it at once. */
const FILLED_WITHIN_MS = 2_000

/**
 * Removes a pid file without a pid, as a power cut leaves it, since PostgreSQL refuses to start while it exists. Throws while a process of
 * this cluster is running, which the file cannot name.
 */
function removeDamaged(dir: string): void {
  const file = join(dir, 'postmaster.pid')
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  // A clock that was set back makes it negative.
  if (age >= 0 && age < FILLED_WITHIN_MS) return
  const [running] = processesOf(dir)
  if (running)
    throw new Error(
      `PostgreSQL runs on ${dir} (process ${running}), but its file postmaster.pid is damaged. Stop that process (kill -INT ${running}), then start again.`,
    )
  rmSync(file, { force: true })
}

/** Returns the pids of this cluster's server and its children: each has that folder as its working directory. */
function processesOf(dir: string): number[] {
  if (existsSync('/proc/self/cwd'))
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && serves(pid, dir))
  const { stdout } = spawnSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8' })
  return stdout.split('\n').flatMap((line) => (line.includes(`-D ${dir}`) ? [Number.parseInt(line, 10)] : []))
}

/** Above every possible pid. */
const NO_PID = 99_999_999

/**
 * Replaces the pid: after a power cut, another program soon has it, and PostgreSQL refuses to start while that program lives. The rest of
 * the file stays, because PostgreSQL uses it to detect a killed server's children that still write.
 */
function forgetPid(dir: string, pid: number): void {
  if (!alive(pid)) return
  const file = join(dir, 'postmaster.pid')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(NO_PID)))
}

/** Returns whether this process is this cluster's PostgreSQL: its working directory is that folder. */
function serves(pid: number, dir: string): boolean {
  if (!alive(pid)) return false
  if (!existsSync('/proc/self/cwd'))
    return spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes('postgres')
  try {
    // The folder may have been removed while the server is running.
    return readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '') === dir
  } catch {
    // The process has ended, or belongs to another user and so is not this cluster's.
    return false
  }
}
