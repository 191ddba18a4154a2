import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { GET as trpc } from '../../app/api/trpc/[trpc]/route.ts'
import type { AccountCtx } from '../context.ts'
import { SERVICE } from '../modules/audit/content-access.ts'
import { signToken } from '../modules/delivery/tokens/token.ts'
import { services } from '../platform/container.ts'
import { send } from '../testing/client.ts'
import { dashboardListener } from '../testing/dashboard-host.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makePlayable } from '../testing/make.ts'
import { rawConnection } from '../testing/raw.ts'
import { provide } from '../testing/settings.ts'
import { cookieFor } from '../testing/sign-in.ts'
import type { LogFile } from './access-log.ts'
import { declareDraining } from './health.ts'
import { closeHttpServer, makeHttpServer } from './http-server.ts'

await testDatabase()

let written: string[] = []
let owner: AccountCtx
let key: Awaited<ReturnType<typeof makeKey>>
let videoId: string
let cookie: string

const begun = Promise.withResolvers<void>()
const neverAnswers = () => {
  begun.resolve()
  return new Promise<Response>(() => {})
}

/** Starts a server with this access log; its lines are in `written`. */
async function start(setting: 'off' | 'errors' | 'all'): Promise<string> {
  provide({ ACCESS_LOG: setting, TRUST_PROXY: 'true' })
  services().accessLogFile = { write: (line: string) => written.push(line) } as unknown as LogFile
  const server = await makeHttpServer(dashboardListener({ '/api/trpc': trpc, '/docs/reference': neverAnswers }))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  afterAll(() => closeHttpServer(server, 0))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let all: string
let errors: string
beforeAll(async () => {
  owner = await makeAccount()
  key = await makeKey(owner)
  videoId = await makePlayable(owner)
  cookie = await cookieFor(owner)
  all = await start('all')
  errors = await start('errors')
})

type Line = Record<string, string | number | boolean>
/** Returns the lines of one or more requests, once as many are written. */
async function lines(work: () => Promise<unknown>, count = 1): Promise<Line[]> {
  const before = written.length
  await work()
  await vi.waitFor(() => expect(written).toHaveLength(before + count))
  return written.slice(before).map((line) => JSON.parse(line))
}
const line = async (work: () => Promise<unknown>) => (await lines(work))[0] as Line

test('a request has one line with its route, account and key, and what was sent', async () => {
  let response: Awaited<ReturnType<typeof send>> | undefined
  const path = `/v1/video/${videoId}`
  const headers = { 'x-service-key': key.value, 'user-agent': 'backend/1.0', 'x-forwarded-for': '203.0.113.9, 198.51.100.7' }
  const got = await line(async () => (response = await send(all + path, { headers })))
  expect(got).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    type: 'access',
    host: expect.any(String),
    pid: process.pid,
    role: 'web,worker',
    version: expect.stringMatching(/^\d/),
    requestId: response?.headers['x-request-id'],
    method: 'GET',
    route: '/v1/video/{videoId}',
    path,
    status: 200,
    ms: expect.any(Number),
    bytesOut: expect.any(Number),
    bytesIn: expect.any(Number),
    address: '198.51.100.7',
    account: owner.accountId,
    key: key.id,
    agent: 'backend/1.0',
  })
  expect(got.bytesOut).toBeGreaterThan(response?.body.length as number)
  expect(got.bytesIn).toBeGreaterThan(path.length)
})

test('a call of the dashboard has the account of its session and the names of its procedures', async () => {
  const query = `?batch=1&input=${encodeURIComponent('{"0":{"json":{"search":"private words"}}}')}`
  const got = await line(() => send(`${all}/api/trpc/video.list,user.me${query}`, { headers: { cookie } }))
  expect(got).toMatchObject({ route: '/api/trpc/{trpc}', path: '/api/trpc/video.list,user.me', account: owner.accountId })
  expect(JSON.stringify(got)).not.toContain('private')
})

test('no secret of an address, header or cookie reaches the log', async () => {
  const token = signToken(SERVICE, { videoId, jti: 'tok_a', iat: Math.floor(Date.now() / 1_000) })
  written = []
  const session = (await (await fetch(`${all}/v1/video/playback/manifest/${token}`)).json()) as { data: { masterPlaylistUrl: string } }
  const manifest = new URL(session.data.masterPlaylistUrl)
  const permit = manifest.pathname.split('/').at(-2) as string
  const master = await send(all + manifest.pathname)
  const playlist = new URL(master.body.split('\n').find((text) => text.includes('.m3u8')) as string, all + manifest.pathname)
  const keyUrl = new URL(/URI="([^"]+)"/.exec((await send(all + playlist.pathname)).body)?.[1] as string, playlist)
  const created = await send(`${all}/api/upload`, {
    method: 'POST',
    headers: { cookie, 'tus-resumable': '1.0.0', 'upload-length': '100', 'upload-metadata': `title ${btoa('a private title')}` },
  })
  const uploadId = String(created.headers.location).split('/').at(-1) as string
  const [uploadKey, body] = [(await makeKey(owner, { scopes: ['video:write'] })).value, '{}']
  const headers = { 'x-service-key': uploadKey, 'content-type': 'application/json' }
  const direct = JSON.parse((await send(`${all}/v1/upload`, { method: 'POST', headers, body })).body).data
  const directPath = new URL(direct.uploadUrl).pathname
  const signature = directPath.split('/').at(-1) as string
  expect(await line(() => send(all + directPath, { method: 'PUT', body: 'x' }))).toMatchObject({
    route: '/api/upload/{upload}/{signature}',
    path: `/api/upload/${direct.uploadId}/{signature}`,
    account: owner.accountId,
  })
  await vi.waitFor(() => expect(written).toHaveLength(6))
  expect([permit.length > 20, keyUrl.search.length > 20, uploadId.length > 10, created.status]).toEqual([true, true, true, 201])

  /** Address and secret; each secret is also tried in places where it does not belong. */
  const secrets = [
    permit,
    token,
    signature,
    key.value,
    uploadId,
    keyUrl.search.slice(1),
    cookie.split('=')[1] as string,
    'invitation0123456789',
    'reset0123456789',
  ]
  const addresses = [
    `/v1/video/playback/manifest/${token}`,
    manifest.pathname,
    playlist.pathname,
    keyUrl.pathname + keyUrl.search,
    `/cdn/hls/${videoId}/${permit}/session.json`,
    `/api/upload/${uploadId}`,
    `/embed/${videoId}?token=${token}&preview=1`,
    '/join?token=invitation0123456789',
    '/reset-password?token=reset0123456789',
    '/api/auth/callback/github?code=reset0123456789&state=invitation0123456789',
    ...secrets.flatMap((secret) => [
      `/${secret}`,
      `/v1/${secret}`,
      `/v1/video/${secret}`,
      `/v1/video/${secret}/playback-token`,
      `/cdn/${secret}/x`,
      `/videos/${secret}`,
      `/api/trpc/${secret}`,
      `/api/auth/${secret}`,
      `/embed/${secret}`,
      `/watch/${secret}`,
      `/watch/${secret}/about`,
      `/api/upload/${direct.uploadId}/${secret}`,
      `/_next/static/${secret}`,
      `/docs/${secret}?${secret}=${secret}`,
    ]),
  ]
  const got = await lines(async () => {
    for (const path of addresses)
      await send(all + path, {
        headers: { cookie, 'x-service-key': key.value, authorization: `Bearer ${token}`, referer: `${all}/?${token}` },
      })
  }, addresses.length)
  const text = written.join('')
  expect(secrets.filter((secret) => text.includes(secret) || text.includes(encodeURIComponent(secret)))).toEqual([])
  expect(got.slice(0, 10).map(({ route, path }) => [route, path])).toEqual([
    ['/v1/video/playback/manifest/{token}', '/v1/video/playback/manifest/{token}'],
    ['/cdn/hls/{videoId}/{permit}/{file}', `/cdn/hls/${videoId}/{permit}/{file}`],
    ['/cdn/hls/{videoId}/{permit}/{file}', `/cdn/hls/${videoId}/{permit}/{file}`],
    ['/cdn/keys/{videoId}', `/cdn/keys/${videoId}`],
    ['/cdn/hls/{videoId}/{permit}/session.json', `/cdn/hls/${videoId}/{permit}/session.json`],
    ['/api/upload/{upload}', '/api/upload/{upload}'],
    ['/embed/{videoId}', `/embed/${videoId}`],
    ['/join', '/join'],
    ['/reset-password', '/reset-password'],
    ['/api/auth/{nextauth}', '/api/auth/{nextauth}'],
  ])
})

test('no text of a client begins a line, or lengthens one without bound', async () => {
  const headers = { 'user-agent': `${'\\"\u00e9'.repeat(3_000)}`, 'x-forwarded-for': `${'a'.repeat(5_000)}` }
  await line(() => send(`${all}/${'%0a{"level":"info"}'.repeat(300)}`, { headers }))
  expect(written.at(-1)?.length).toBeLessThan(1_500)
  expect(written.at(-1)).toMatch(/^[\x20-\x7e]+\n$/)
  const forged = 'GET http://[/{"forged" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
  expect(await line(async () => (await rawConnection(all, forged)).ended)).toMatchObject({ path: '*' })
})

test('a client that leaves before the response is marked', async () => {
  const got = await line(async () => {
    const sent = request(`${all}/docs/reference`).end()
    sent.on('error', () => {})
    await begun.promise
    sent.destroy()
  })
  expect(got).toMatchObject({ aborted: true, status: 499, path: '/docs/reference', address: '127.0.0.1' })
})

test('with errors, only failures of the service have a line', async () => {
  declareDraining()
  const got = await line(async () => {
    await send(`${errors}/v1/video/nothing`)
    await send(`${errors}/healthz`)
    await send(`${errors}/readyz`)
  })
  expect(got).toMatchObject({ status: 503, route: '/readyz', path: '/readyz' })
})
