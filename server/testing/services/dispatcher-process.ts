import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Pace } from '../../modules/webhooks/delivery/dispatcher.ts'
import { childEnvironment, env } from '../../platform/config/config.ts'
import { captureOutput } from '../logs.ts'
import { atFileEnd } from '../media/file-end.ts'

/** Starts a dispatcher in its own process on the test file's database; resolves with a function that kills it like a power cut. */
export async function startDispatcherProcess(pace: Pace, settings: Record<string, string> = {}): Promise<() => Promise<void>> {
  const { DATABASE_URL, DATA_DIR, REELGATE_SECRET } = env()
  const own = { DATABASE_URL, DATA_DIR, REELGATE_SECRET, BASE_URL: 'http://localhost', LOG_LEVEL: 'error', ...settings }
  const child = fork(join(import.meta.dirname, 'dispatcher-process-main.ts'), [JSON.stringify(own), JSON.stringify(pace)], {
    env: childEnvironment(),
    silent: true,
  })
  captureOutput(child.stdout, child.stderr)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  atFileEnd(() => void child.kill('SIGKILL'))
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    void ended.then(() => reject(new Error('the dispatcher ended before it was ready')))
  })
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}
