import { fork, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Target } from './load.ts'

/** Requests that a client sends at fixed times. */
export interface Paced extends Target {
  perSec: number
  seconds: number
}

export interface PacedClient {
  /** Returns the milliseconds within which 99 of 100 requests are fully answered. */
  p99(paced: Paced): Promise<number>
  stop(): void
}

const REAL_TIME = ['chrt', '--reset-on-fork', '--rr', '1']
const canPrecede = spawnSync(REAL_TIME[0] as string, [...REAL_TIME.slice(1), 'true']).status === 0
/**
 * The new objects of a whole measurement fit in its heap, so that its garbage collector neither delays requests nor takes a core from them.
 */
const COLLECT_LATER = ['--max-semi-space-size=256', '--single-threaded-gc', '--expose-gc']

/**
 * Starts a client in its own process, which takes precedence over all others: a service's clients are on other machines, so the time in
 * which this one waits for a core does not count against the service. Without root, it does not take precedence, which a line on standard
 * error reports.
 */
export function startPacedClient(): PacedClient {
  if (!canPrecede) process.stderr.write('Without root, figures contain the time in which the client waits for a core.\n')
  const [execPath = process.execPath, ...before] = canPrecede ? [...REAL_TIME, process.execPath] : [process.execPath]
  const child = fork(join(import.meta.dirname, 'paced-client.ts'), { execPath, execArgv: [...before, ...COLLECT_LATER] })
  process.on('exit', () => child.kill('SIGKILL'))
  return {
    async p99(paced) {
      const times = await new Promise<number[]>((resolve, reject) => {
        const fail = (code: number | null) => reject(new Error(`The client ended with ${code}`))
        child.once('exit', fail)
        child.once('message', (message) => {
          child.off('exit', fail)
          resolve(message as number[])
        })
        child.send(paced)
      })
      return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] as number
    },
    stop: () => void child.kill('SIGKILL'),
  }
}
