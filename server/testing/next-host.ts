import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../platform/config/free-port.ts'
import { atFileEnd } from './media/file-end.ts'
import { changedSettings } from './settings.ts'

const root = join(import.meta.dirname, '../..')

/**
 * Starts `next start` on the built app, without main.ts and the router, with the settings that the test file changed; call it after
 * `testDatabase()`. Resolves with its address; it ends with the test file. Rejects with its output when it cannot start.
 */
export async function nextHost(): Promise<string> {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const args = [join(root, 'node_modules/next/dist/bin/next'), 'start', '--port', String(port), '--hostname', '127.0.0.1']
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...changedSettings(), NODE_ENV: 'production', BASE_URL: baseUrl, NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk))
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()))
  atFileEnd(async () => {
    child.kill()
    await ended
  })
  for (;;) {
    if (child.exitCode !== null) throw new Error(`next start ended: ${said}`)
    if (await answers(`${baseUrl}/v1/video`)) return baseUrl
    await wait(50)
  }
}

const answers = (address: string) =>
  fetch(address).then(
    () => true,
    () => false,
  )
