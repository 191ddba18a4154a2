import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { type IncomingMessage, type OutgoingHttpHeaders, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GET as trpc } from '../../app/api/trpc/[trpc]/route.ts'
import type { AccountCtx } from '../context.ts'
import { contentName } from '../modules/transcoding/encode/segment-store.ts'
import { uploadPath } from '../modules/uploads/resumable/folder.ts'
import { segmentKey } from '../modules/videos/media-keys.ts'
import { storage } from '../platform/storage/storage.ts'
import { repeatConcurrently, send } from '../testing/client.ts'
import { dashboardListener } from '../testing/dashboard-host.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makePlayable, makeVideo } from '../testing/make.ts'
import { isInstalled, PROXIES, type ProxyName, type RunningProxy, startProxy } from '../testing/services/proxies.ts'
import { provide } from '../testing/settings.ts'
import { cookieFor } from '../testing/sign-in.ts'
import { closeHttpServer, makeHttpServer } from './http-server.ts'

await testDatabase()
provide({ TRUST_PROXY: 'true' })

const installed = PROXIES.filter(isInstalled)
const proxies = new Map<ProxyName, RunningProxy>()
/** Two listeners of this process with the real HTTP server: what a proxy sees of two web processes. */
const servers: Server[] = []
let owner: AccountCtx
let cookie: string
let videoId: string
const segment = randomBytes(3_000_000)

const addressOf = (server: Server) => `127.0.0.1:${(server.address() as AddressInfo).port}`

beforeAll(async () => {
  for (let count = 0; count < 2; count++) {
    const server = await makeHttpServer(dashboardListener({ '/api/trpc': trpc }))
    servers.push(server.listen(0, '127.0.0.1'))
    await once(server, 'listening')
  }
  const [one, two] = servers.map(addressOf) as [string, string]
  provide({ BASE_URL: `http://${one}` })
  await Promise.all(installed.map(async (name) => proxies.set(name, await startProxy(name, [one, two]))))
  owner = await makeAccount()
  cookie = await cookieFor(owner)
  videoId = await makePlayable(owner)
  await storage().put(segmentKey(videoId, contentName(segment)), segment)
})
afterAll(() => Promise.all(servers.map((server) => closeHttpServer(server, 0))))

const tus = { 'Tus-Resumable': '1.0.0' }

describe.each(PROXIES)('behind %s with its sample', (name) => {
  const it = test.skipIf(!installed.includes(name))
  const url = () => (proxies.get(name) as RunningProxy).url

  it('an API call is answered, and the service sees the address of the client and no other', async () => {
    const { value } = await makeKey(owner, { allowedIps: ['127.0.0.1', '203.0.113.7'] })
    const { port } = proxies.get(name) as RunningProxy
    const forged = { 'x-forwarded-for': '203.0.113.7', forwarded: 'for=203.0.113.7' }
    const ask = async (localAddress: string, headers: OutgoingHttpHeaders = {}) => {
      const sent = request({
        port,
        host: '127.0.0.1',
        localAddress,
        path: '/v1/video',
        headers: { 'x-service-key': value, ...headers },
      }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      return { status: response.statusCode, body: JSON.parse((await response.toArray()).join('')) }
    }
    expect(await ask('127.0.0.1')).toMatchObject({ status: 200, body: { success: true } })
    for (const headers of [{}, forged])
      expect(await ask('127.0.0.2', headers)).toMatchObject({ status: 403, body: { error: { details: { address: '127.0.0.2' } } } })
  })

  it('an upload arrives while it is being sent, with the longest description', async () => {
    const pairs = { title: 'Clip', filename: 'clip.webm', filetype: 'video/webm', description: '€'.repeat(5_000) }
    const metadata = Object.entries(pairs).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    const half = Buffer.concat([Buffer.from('1a45dfa3', 'hex'), randomBytes(4_000_000)])
    const headers = { ...tus, Cookie: cookie, 'Upload-Length': String(2 * half.length), 'Upload-Metadata': metadata.join(',') }
    const created = await send(`${url()}/api/upload`, { method: 'POST', headers })
    expect(created.status).toBe(201)
    const location = created.headers.location as string
    const patch = request(url() + location, {
      method: 'PATCH',
      headers: {
        ...tus,
        Cookie: cookie,
        'Upload-Offset': '0',
        'Content-Type': 'application/offset+octet-stream',
        'Content-Length': 2 * half.length,
      },
    })
    patch.write(half)
    // The end of the body follows only when its beginning has arrived; systems hold a part of it back.
    await expect.poll(async () => (await stat(uploadPath(location.split('/').at(-1) as string))).size).toBeGreaterThan(half.length / 2)
    patch.end(half)
    const [response] = (await once(patch, 'response')) as [IncomingMessage]
    expect([response.statusCode, response.headers['upload-offset']]).toEqual([204, String(2 * half.length)])
  })

  it('an event stream arrives while it is open', async () => {
    const sent = request(`${url()}/api/trpc/video.watch`, { headers: { Cookie: cookie, Accept: 'text/event-stream' } }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect(response.headers['content-type']).toContain('text/event-stream')
    let text = ''
    response.setEncoding('utf8').on('data', (part) => (text += part))
    await expect.poll(() => text).toContain('resync')
    const created = await makeVideo(owner)
    await expect.poll(() => text).toContain(created)
    sent.destroy()
  })

  it('a part of a segment is sent', async () => {
    const address = `${url()}/cdn/segments/${videoId}/${contentName(segment)}.ts`
    const part = await fetch(address, { headers: { Range: 'bytes=1000000-2999999' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1000000-2999999/3000000'])
    expect(Buffer.from(await part.arrayBuffer()).equals(segment.subarray(1_000_000))).toBe(true)
    const whole = await fetch(address)
    expect(Buffer.from(await whole.arrayBuffer()).equals(segment)).toBe(true)
  })
})

// Last, because the process stays away.
test.skipIf(installed.length === 0)('every call is answered while one process stops', async () => {
  const { value } = await makeKey(owner)
  const [first] = servers as [Server, Server]
  let left = 300
  let stopped: Promise<void> | undefined
  const statuses = new Set<number>()
  await repeatConcurrently(4, async () => {
    for (const { url } of proxies.values()) statuses.add((await send(`${url}/v1/video`, { headers: { 'x-service-key': value } })).status)
    left--
    if (left < 250) stopped ??= closeHttpServer(first, 2_000)
    return left > 0
  })
  await stopped
  expect(first.listening).toBe(false)
  expect([...statuses]).toEqual([200])
})
