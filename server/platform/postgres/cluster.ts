import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { childEnvironment } from '../config.ts'
import type { Identity } from './identity.ts'

/** A database cluster on disk, and as whom its programs run. */
export interface Cluster {
  /** The folder, absolute. It exists once the cluster has been made. */
  dir: string
  /** The folder of PostgreSQL's programs. */
  bin: string
  identity: Identity
  /** false: no fsync, for throw-away clusters. */
  durable: boolean
}

export const isMade = (dir: string) => existsSync(join(dir, 'PG_VERSION'))

/**
 * Makes the cluster unless it is there. It is made under another name and gets its own when it is whole: a kill leaves
 * nothing half-made, and of two processes making it at once one wins. Errors: with what initdb said; the signal's reason.
 */
export async function initialise(cluster: Cluster, password: string, signal?: AbortSignal): Promise<void> {
  const { dir, identity, durable } = cluster
  sweepUnfinished(dir)
  if (isMade(dir)) return
  const unfinished = `${dir}.new-${process.pid}`
  const passwordFile = `${unfinished}.pw`
  try {
    mkdirSync(unfinished, { mode: 0o700 })
    writeFileSync(passwordFile, password, { mode: 0o600 })
    handOver(identity, dirname(dir), [unfinished, passwordFile])
    const child = program(cluster, 'initdb', [
      ...['-D', unfinished, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
      ...['--encoding=UTF8', '--locale=C', '--no-instructions', ...(durable ? [] : ['--no-sync'])],
    ])
    await toEnd(child, signal)
    renameSync(unfinished, dir)
  } catch (error) {
    signal?.throwIfAborted()
    // Another process was faster: then its cluster is the one.
    if (!isMade(dir)) throw new Error(`PostgreSQL could not be initialised in ${dir}: ${(error as Error).message}`)
  } finally {
    for (const path of [passwordFile, unfinished]) rmSync(path, { recursive: true, force: true })
  }
}

/** Removes what processes that are gone were making. */
function sweepUnfinished(dir: string): void {
  const ours = `${basename(dir)}.new-`
  for (const name of readdirSync(dirname(dir))) {
    const pid = name.startsWith(ours) ? Number.parseInt(name.slice(ours.length), 10) : 0
    if (pid > 0 && (pid === process.pid || !alive(pid))) rmSync(join(dirname(dir), name), { recursive: true, force: true, maxRetries: 5 })
  }
}

/** The user that root becomes must own the cluster and be let through our folder to it. */
function handOver({ uid, gid }: Identity, parent: string, paths: string[]): void {
  if (uid === undefined || gid === undefined) return
  chmodSync(parent, statSync(parent).mode | 0o011)
  for (const path of paths) chownSync(path, uid, gid)
}

/** Runs one of PostgreSQL's programs, in a session of its own: Ctrl-C in the terminal is for us, and the database stops last. */
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
  // It leads a process group of all that it starts.
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

/** To a process, or to a group when negative; one that has ended meanwhile is fine. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
