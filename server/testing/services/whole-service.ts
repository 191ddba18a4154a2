import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { childEnvironment } from '../../platform/config/config.ts'
import { atFileEnd } from '../media/file-end.ts'

/** The service as started by `npm start`: `server/main.ts`, its own process group, an embedded database. */
export interface Service {
  pid: number
  /** Returns its output so far. */
  said(): string
  /** Resolves when its output matches; rejects with its output when it ends instead. */
  says(words: RegExp): Promise<void>
  /** Signals the whole group, like Ctrl-C in a terminal. */
  signal(name: NodeJS.Signals): void
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>
}

/** Returns a data folder that is removed with the test file, after its processes are stopped. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reelgate-service-'))
  atFileEnd(() => {
    const pid = databasePid(folder)
    if (pid && isAlive(pid)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

/** The ballast takes up 128 MiB in each data folder, and time to write; AV1 takes processor time. */
const spared = {
  REELGATE_TEST_BALLAST_BYTES: '0',
  AV1_AFTER_HOURS: '',
}

export function startService(dataDir: string, settings: Record<string, string> = {}): Service {
  const env = { ...childEnvironment(), DATA_DIR: dataDir, NODE_ENV: 'production' as const, ...spared, ...settings }
  // Runs outside the project's folder, whose .env is not for tests.
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../main.ts')], {
    cwd: tmpdir(),
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  atFileEnd(() => child.kill('SIGKILL'))
  let said = ''
  const heard = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
      for (const hear of heard) hear()
    })
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)))
  return {
    pid: child.pid as number,
    said: () => said,
    says: (words) =>
      new Promise((resolve, reject) => {
        const hear = () => words.test(said) && resolve()
        heard.add(hear)
        hear()
        void ended.then((how) => reject(new Error(`the service ended with ${how}:\n${said}`)))
      }),
    signal: (name) => void process.kill(-(child.pid as number), name),
    ended,
  }
}

/** Returns the pid in the database's pid file. */
export function databasePid(dataDir: string): number | undefined {
  const file = join(dataDir, 'postgres/postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
}

/** Returns the address of a running service's embedded database. */
export function databaseUrl(dataDir: string, name = 'reelgate'): string {
  const port = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[3]
  return `postgresql://postgres:${readFileSync(join(dataDir, 'postgres-password'), 'utf8')}@127.0.0.1:${port}/${name}`
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Resolves once the process has ended and its parent has reaped it; until then its entry remains. */
export const waitUntilExited = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false))
