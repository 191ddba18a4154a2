import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, it, vi } from 'vitest'
import { childEnvironment } from './platform/config/config.ts'
import { freePort } from './platform/config/free-port.ts'
import { atFileEnd } from './testing/media/file-end.ts'
import { rawConnection } from './testing/raw.ts'
import { databasePid, databaseUrl, dataFolder, startService, waitUntilExited } from './testing/services/whole-service.ts'

const READY = /Reelgate is ready: {2}http:\/\/localhost:(\d+)\n/

/** Removes the lines that a slow machine adds to the output: of a connection that responds late, and of a part that stops late. */
const withoutDelays = (said: string) => said.replace(/^\{.*(lost its connection|job queue error|did not stop cleanly).*\n/gm, '')

it('prints its start in a few lines, ends with the address, and stops with a page open', async () => {
  const data = dataFolder()
  const PORT = String(await freePort())
  const service = startService(data, { PORT })
  await service.says(READY)
  const [start = ''] = withoutDelays(service.said()).split(READY)
  expect(start.split('\n').length, start).toBeLessThan(7)
  expect((await fetch(`http://localhost:${PORT}/sign-in`)).status).toBe(200)

  const second = startService(dataFolder(), { PORT })
  expect(await second.ended).toBe(1)
  expect(second.said()).toContain(`another Reelgate is already running at http://localhost:${PORT}`)

  const database = databasePid(data) as number
  service.signal('SIGINT')
  expect(await service.ended).toBe(0)
  await waitUntilExited(database)
})

it('responds to upgrade requests as HTTP/1.1 on every path, also after pages were served, and with HSTS over https', async () => {
  const PORT = String(await freePort())
  const service = startService(dataFolder(), { PORT, BASE_URL: 'https://video.example.com' })
  await service.says(/Reelgate is ready/)
  const base = `http://127.0.0.1:${PORT}`
  // With its first request Next would attach its own listener.
  expect((await fetch(`${base}/sign-in`)).status).toBe(200)
  for (const protocol of ['h2c', 'websocket'])
    for (const path of [
      '/v1/video',
      '/cdn/keys/x',
      '/healthz',
      '/readyz',
      '/api/upload',
      '/api/trpc/x',
      '/sign-in',
      '/_next/hmr',
      '/nothing',
    ]) {
      const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: ${protocol}\r\n\r\n`
      const text = await wholeText(base, head)
      expect(text, path).toMatch(/^HTTP\/1\.1 [2345]\d\d /)
      expect(text.match(/^strict-transport-security: max-age=31536000\r$/gim), path).toHaveLength(1)
    }
  expect(await wholeText(base, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [\s\S]*Strict-Transport-Security: /)
  service.signal('SIGINT')
  expect(await service.ended).toBe(0)
  expect(withoutDelays(service.said())).not.toMatch(/error/i)
})

/** Resolves with everything received on a connection after `bytes`, until the server ends it. */
async function wholeText(base: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  // Not ended from this side: Node would then drop a response that is not ready yet.
  socket.write(bytes)
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('latin1')
}

it('ends a slow body of a page, an action or a procedure with 408, and keeps serving', async () => {
  const PORT = String(await freePort())
  const service = startService(dataFolder(), { PORT, REELGATE_TEST_BODY_SEC: '1' })
  await service.says(READY)
  const base = `http://127.0.0.1:${PORT}`
  await Promise.all(
    ['/sign-in', '/api/trpc/account.rename?batch=1', '/api/auth/callback/credentials', '/api/stripe', '/embed/vid_x/beacon'].map(
      async (path) => {
        const head = `POST ${path} HTTP/1.1\r\nHost: localhost:${PORT}\r\nOrigin: http://localhost:${PORT}\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n`
        const connection = await rawConnection(base, head)
        const dripping = setInterval(() => connection.write('x'), 50)
        await connection.ended.catch(() => {})
        clearInterval(dripping)
      },
    ),
  )
  expect((await fetch(`${base}/sign-in`)).status).toBe(200)
  service.signal('SIGINT')
  expect(await service.ended).toBe(0)
})

it('reports that a port is in use before it starts anything', async () => {
  const other = createServer((_req, res) => res.end('hello'))
  await new Promise<void>((resolve) => other.listen(0, resolve))
  afterAll(() => other.close())
  const { port } = other.address() as AddressInfo
  const data = dataFolder()
  const service = startService(data, { PORT: String(port) })
  expect(await service.ended).toBe(1)
  expect(service.said()).toContain(`port ${port} is already in use`)
  expect(databasePid(data)).toBeUndefined()
})

it('stops everything on SIGTERM to npm alone, and when the intermediate command is killed', async () => {
  const data = dataFolder()
  const settings = { DATA_DIR: data, PORT: String(await freePort()), DRAIN_SEC: '0', NODE_ENV: 'production' as const }
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const command = signal === 'SIGTERM' ? ['npm', 'start'] : [process.execPath, 'scripts/start.mjs']
    const child = spawn(command[0] as string, command.slice(1), {
      cwd: join(import.meta.dirname, '..'),
      env: { ...childEnvironment(), DATABASE_URL: '', BASE_URL: '', ...settings },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    atFileEnd(() => child.kill('SIGKILL'))
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    await vi.waitFor(() => expect(child.exitCode !== null || READY.test(said)).toBe(true))
    const database = databasePid(data) as number
    child.kill(signal)
    await waitUntilExited(database)
  }
})

it('serves from several processes, replaces one that is killed, and stops all of them', async () => {
  const data = dataFolder()
  const PORT = String(await freePort())
  const ADMIN_PORT = String(await freePort())
  const service = startService(data, { PORT, ADMIN_PORT, WEB_PROCESSES: '2', LOG_LEVEL: 'error' })
  await service.says(READY)
  const metrics = async () => (await fetch(`http://127.0.0.1:${ADMIN_PORT}/metrics`)).text()
  const counted = async () => Number(/_requests_total\{route="\/v1\/video",method="GET",status="4xx"\} (\d+)/.exec(await metrics())?.[1])
  // New connections are handed to the processes in turn.
  for (let sent = 0; sent < 10; sent++) await fetch(`http://127.0.0.1:${PORT}/v1/video`, { headers: { connection: 'close' } })
  expect(await counted()).toBe(10)
  expect(await metrics()).toContain('reelgate_web_processes{state="responding"} 2\n')
  expect(service.said().split('Reelgate is ready')).toHaveLength(2)
  const client = new pg.Client({ connectionString: databaseUrl(data) })
  await client.connect()
  const pids = async (role: string) =>
    (await client.query<{ pid: number }>('SELECT pid FROM process WHERE $1 = ANY (roles) ORDER BY started_at', [role])).rows.map(
      ({ pid }) => pid,
    )
  const [killed, kept] = (await pids('web')) as [number, number]
  expect(await pids('worker')).toEqual([service.pid])
  process.kill(killed, 'SIGKILL')
  const isReady = () => fetch(`http://127.0.0.1:${PORT}/readyz`).then(({ status }) => status)
  await expect.poll(() => pids('web').then((all) => all.filter((pid) => ![killed, kept].includes(pid)))).toHaveLength(1)
  expect(await isReady()).toBe(200)
  // What the killed process counted is still part of the sum.
  expect(await counted()).toBe(10)
  await client.end()
  service.signal('SIGINT')
  expect(await service.ended).toBe(0)
  await waitUntilExited(kept)
})
