import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../server/platform/config/free-port.ts'

const root = join(import.meta.dirname, '..')

export const PASSWORDS = { teacher: 'a password of the teacher', student: 'a password of the student' }

/**
 * Starts examples/course-site as its README does, for a service and a key: a copy in a folder of this repository, which has the packages,
 * with the client that the service offers. `stop` ends it and removes the copy.
 */
export async function startCourseSite(baseUrl: string, apiKey: string): Promise<{ url: string; stop(): Promise<void> }> {
  mkdirSync(join(root, '.cache'), { recursive: true })
  const folder = mkdtempSync(join(root, '.cache/course-site-'))
  const skipped = ['node_modules', '.next', '.env', 'course.db']
  cpSync(join(root, 'examples/course-site'), folder, {
    recursive: true,
    filter: (path) => !skipped.some((name) => path.endsWith(`course-site/${name}`)),
  })
  const sdk = join(folder, 'node_modules/@reelgate/sdk')
  mkdirSync(sdk, { recursive: true })
  const packed = Buffer.from(await (await fetch(`${baseUrl}/sdk.tgz`)).arrayBuffer())
  const { status } = spawnSync('tar', ['-xzf', '-', '--strip-components=1', '-C', sdk], { input: packed })
  if (status !== 0 || !existsSync(join(sdk, 'package.json'))) throw new Error('The package of the client could not be unpacked.')
  const PORT = String(await freePort())
  const { PATH, HOME } = process.env
  const settings = { REELGATE_URL: baseUrl, REELGATE_API_KEY: apiKey, PORT, NEXT_TELEMETRY_DISABLED: '1' }
  const passwords = { TEACHER_PASSWORD: PASSWORDS.teacher, STUDENT_PASSWORD: PASSWORDS.student }
  const child = spawn(process.execPath, ['start.mjs'], {
    cwd: folder,
    env: { PATH, HOME, NODE_ENV: 'production', ...settings, ...passwords },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const url = `http://localhost:${PORT}`
  const stop = async () => {
    await ended(child)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await saysReady(child)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, stop }
}

function saysReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text
        if (/Ready in/.test(said)) resolve()
      })
    }
    child.on('exit', () => reject(new Error(`The course site ended:\n${said}`)))
  })
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || !child.pid) return
  const group = -child.pid
  const exit = new Promise((resolve) => child.once('exit', resolve))
  process.kill(group, 'SIGTERM')
  // Next ends once the browser has closed its connections, which the end of a test may do later.
  const late = setTimeout(() => process.kill(group, 'SIGKILL'), 15_000)
  await exit
  clearTimeout(late)
}
