import { fork } from 'node:child_process'
import { join } from 'node:path'
import { childEnvironment, env } from '../../platform/config/config.ts'
import { captureOutput } from '../logs.ts'
import { atFileEnd } from '../media/file-end.ts'

export interface WorkerProcess {
  url: string
  pid: number
  /** Ends it like a power cut: SIGKILL. */
  kill(): Promise<void>
}

/**
 * Starts a worker (or a server without one) in its own process on the test file's database and data, or with other `given` settings; it ends
 * with the test file.
 */
export async function startWorkerProcess(role: 'web' | 'worker', given: Record<string, string> = {}): Promise<WorkerProcess> {
  const { DATABASE_URL, DATA_DIR, REELGATE_SECRET, FFMPEG_PATH = '' } = env()
  const shared = { DATABASE_URL, DATA_DIR, REELGATE_SECRET, FFMPEG_PATH }
  const settings = { ...shared, ROLES: role, BASE_URL: 'http://localhost', LOG_LEVEL: 'error', ...given }
  const child = fork(join(import.meta.dirname, 'worker-process-main.ts'), [JSON.stringify(settings)], {
    env: childEnvironment(),
    silent: true,
  })
  captureOutput(child.stdout, child.stderr)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  atFileEnd(() => void child.kill('SIGKILL'))
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', resolve as (message: unknown) => void)
    void ended.then(() => reject(new Error('the process ended before it was ready')))
  })
  return {
    url,
    pid: child.pid as number,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
