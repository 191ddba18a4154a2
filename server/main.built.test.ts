import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { childEnvironment } from './infra/env.ts'
import { databasePid, dataFolder, hasGone, startService } from './testing/service.ts'

const READY = /Reelgate is ready: {2}http:\/\/localhost:(\d+)\n$/

/** A port that was free a moment ago. */
async function freePort(): Promise<string> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return String(port)
}

it('says in a few lines what it does, ends with the address, and stops with a page open', async () => {
  const data = dataFolder()
  const PORT = await freePort()
  const service = startService(data, { PORT })
  await service.says(READY)
  expect(service.said().split('\n').length).toBeLessThan(8)
  expect((await fetch(`http://localhost:${PORT}/sign-in`)).status).toBe(200)

  const second = startService(dataFolder(), { PORT })
  expect(await second.ended).toBe(1)
  expect(second.said()).toContain(`one answers already at http://localhost:${PORT}`)

  const database = databasePid(data) as number
  service.signal('SIGINT')
  expect(await service.ended).toBe(0)
  await hasGone(database)
})

it('says that a port is another program’s before it starts anything', async () => {
  const other = createServer((_req, res) => res.end('hello'))
  await new Promise<void>((resolve) => other.listen(0, resolve))
  afterAll(() => other.close())
  const { port } = other.address() as AddressInfo
  const data = dataFolder()
  const service = startService(data, { PORT: String(port) })
  expect(await service.ended).toBe(1)
  expect(service.said()).toContain(`port ${port} is taken`)
  expect(databasePid(data)).toBeUndefined()
})

it('SIGTERM to npm alone stops everything, and so does killing the command in between', async () => {
  const data = dataFolder()
  const settings = { DATA_DIR: data, PORT: await freePort(), NODE_ENV: 'production' as const }
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const command = signal === 'SIGTERM' ? ['npm', 'start'] : [process.execPath, 'scripts/start.mjs']
    const child = spawn(command[0] as string, command.slice(1), {
      cwd: join(import.meta.dirname, '..'),
      env: { ...childEnvironment(), DATABASE_URL: '', BASE_URL: '', ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    await vi.waitFor(() => expect(child.exitCode !== null || READY.test(said)).toBe(true), { timeout: 30_000 })
    const database = databasePid(data) as number
    child.kill(signal)
    await hasGone(database)
  }
})
