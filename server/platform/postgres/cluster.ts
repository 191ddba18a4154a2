import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { childEnvironment } from '../config/config.ts'
import { parentDeathPrefix } from '../ffmpeg/sandbox.ts'
import type { Identity } from './identity.ts'

/** A database cluster on disk, and the user that runs its programs. */
export interface Cluster {
  /** The absolute path of the folder. It exists once the cluster has been created. */
  dir: string
  /** The folder of PostgreSQL's programs. */
  bin: string
  identity: Identity
  /** false: no fsync, for throwaway clusters. */
  durable: boolean
}

export const isInitialised = (dir: string) => existsSync(join(dir, 'PG_VERSION'))

/**
 * Creates the cluster unless it exists, under another name until it is complete: a kill leaves no partial cluster, and if two processes
 * create it at once, one wins. Errors: with initdb's output; the signal's reason.
 */
export async function initialise(cluster: Cluster, password: string, signal?: AbortSignal): Promise<void> {
  const { dir, identity, durable } = cluster
  sweepUnfinished(dir)
  if (isInitialised(dir)) return
  const unfinished = `${dir}.new-${process.pid}`
  const passwordFile = `${unfinished}.pw`
  try {
    mkdirSync(unfinished, { mode: 0o700 })
    writeFileSync(passwordFile, password, { mode: 0o600 })
    handOver(identity, dirname(dir), [unfinished, passwordFile])
    // An initdb that outlives this process would recreate the folder after the next start had removed it.
    const leashed = { ...cluster, identity: { ...identity, prefix: [...identity.prefix, ...parentDeathPrefix()] } }
    const child = program(leashed, 'initdb', [
      ...['-D', unfinished, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C', '--no-instructions', ...(durable ? [] : ['--no-sync'])],
    ])
    await toEnd(child, signal)
    renameSync(unfinished, dir)
  } catch (error) {
    signal?.throwIfAborted()
    // Another process finished first, so its cluster is used.
    if (!isInitialised(dir)) throw new Error(`PostgreSQL could not be initialised in ${dir}: ${(error as Error).message}`)
  } finally {
    for (const path of [passwordFile, unfinished]) rmSync(path, { recursive: true, force: true })
  }
}

/** Removes unfinished clusters of processes that have ended. */
function sweepUnfinished(dir: string): void {
  const ours = `${basename(dir)}.new-`
  for (const name of readdirSync(dirname(dir))) {
    const pid = name.startsWith(ours) ? Number.parseInt(name.slice(ours.length), 10) : 0
    if (pid > 0 && (pid === process.pid || !alive(pid))) rmSync(join(dirname(dir), name), { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Gives the files to the user that root becomes, and lets that user pass through the parent folder. */
function handOver({ uid, gid }: Identity, parent: string, paths: string[]): void {
  if (uid === undefined || gid === undefined) return
  chmodSync(parent, statSync(parent).mode | 0o011)
  for (const path of paths) chownSync(path, uid, gid)
}

/** Starts one of PostgreSQL's programs in its own session: Ctrl-C in the terminal ends this process, and the database stops last. */
export function program(
  { bin, identity }: Pick<Cluster, 'bin' | 'identity'>,
  name: string,
  args: string[],
  output: number | 'pipe' = 'pipe',
): ChildProcess {
  const { prefix, uid, gid } = identity
  const [command, ...words] = [...prefix, join(bin, name), ...args] as [string, ...string[]]
  const env = { ...childEnvironment(), LC_ALL: 'C' }
  return spawn(command, words, { uid, gid, detached: true, cwd: '/', stdio: ['ignore', output, output], env })
}

async function toEnd(child: ChildProcess, signal?: AbortSignal): Promise<void> {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  // The program leads a process group of everything it starts.
  const end = () => child.pid && send(-child.pid, 'SIGTERM')
  if (signal?.aborted) end()
  signal?.addEventListener('abort', end)
  try {
    await new Promise<void>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(output.trim()))))
    })
  } finally {
    signal?.removeEventListener('abort', end)
  }
}

export function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Sends a signal to a process, or to a group if negative. Ignores one that has already ended. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
