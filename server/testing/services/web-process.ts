import { fork } from 'node:child_process'
import { join } from 'node:path'
import { childEnvironment, env } from '../../platform/config/config.ts'
import { captureOutput } from '../logs.ts'
import { atFileEnd } from '../media/file-end.ts'
import type { WrongQuota } from '../wrong-quotas.ts'

/** A server in its own process on the test file's database. */
export interface WebProcess {
  url: string
  pid: number
  /** Selects how quota is counted from now on. */
  count(how: WrongQuota | 'exact'): Promise<void>
  /** Stops it as a deployment does: SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>
  /** Ends it like a power cut: SIGKILL. */
  kill(): Promise<void>
}

interface Surroundings {
  /** Settings that differ from the test file's. */
  settings?: Record<string, string>
  /** How far its clock is ahead of the machine's, in milliseconds. */
  clockAheadMs?: number
  timeZone?: string
  /** Further variables of its environment. */
  environment?: Record<string, string>
  /** Limits of its HTTP server that differ, in milliseconds. */
  limits?: { headersTimeout?: number; timeout?: number }
}

/** Starts a server process; it ends with the test file at the latest. Call after `testDatabase()`. */
export async function startWebProcess({
  settings,
  clockAheadMs,
  timeZone,
  environment,
  limits = {},
}: Surroundings = {}): Promise<WebProcess> {
  const { DATABASE_URL, DATA_DIR, REELGATE_SECRET, FFMPEG_PATH = '' } = env()
  const own = {
    DATABASE_URL,
    DATA_DIR,
    REELGATE_SECRET,
    FFMPEG_PATH,
    BASE_URL: 'http://localhost',
    LOG_LEVEL: 'error',
    ...settings,
  }
  const clock = new URL(`skewed-clock.ts?ms=${clockAheadMs}`, import.meta.url)
  const child = fork(join(import.meta.dirname, 'web-process-main.ts'), [JSON.stringify(own), JSON.stringify(limits)], {
    execArgv: clockAheadMs === undefined ? [] : ['--import', clock.href],
    env: { ...childEnvironment(), ...environment, ...(timeZone ? { TZ: timeZone } : {}) },
    silent: true,
  })
  captureOutput(child.stdout, child.stderr)
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const answer = () =>
    new Promise<string>((resolve, reject) => {
      child.once('message', resolve as (message: unknown) => void)
      void ended.then((code) => reject(new Error(`the server process ended with ${code}`)))
    })
  atFileEnd(() => void child.kill('SIGKILL'))
  return {
    url: await answer(),
    pid: child.pid as number,
    async count(how) {
      const done = answer()
      child.send(how)
      await done
    },
    stop() {
      child.kill('SIGTERM')
      return ended
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

export const startWebProcesses = (count: number, around?: Surroundings): Promise<WebProcess[]> =>
  Promise.all(Array.from({ length: count }, () => startWebProcess(around)))
