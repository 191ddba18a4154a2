import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type * as Sdk from '../sdk/src/index.ts'
import { EVENTS } from '../server/events.ts'
import { signatureHeader } from '../server/modules/webhooks/delivery/signature.ts'
import { db } from '../server/platform/database/database.ts'
import { storage } from '../server/platform/storage/storage.ts'
import { testDatabase } from '../server/testing/database.ts'
import { startHttpServer } from '../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../server/testing/make.ts'
import { likeVideo, sha256 } from '../server/testing/tus-client.ts'
import { compileSdk } from './build-sdk.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const folder = mkdtempSync(join(tmpdir(), 'reelgate-sdk-client-'))
let sdk: typeof Sdk

beforeAll(async () => {
  await compileSdk(folder)
  sdk = (await import(/* @vite-ignore */ join(folder, 'dist/index.js'))) as typeof Sdk
})
afterAll(() => rmSync(folder, { recursive: true }))

const MB = 1024 ** 2

async function client(scopes: string[] = ['video:read', 'video:write'], environment?: 'TEST') {
  const owner = await makeAccount()
  const { value: apiKey } = await makeKey(owner, { scopes: scopes as never, ...(environment && { environment }) })
  return { owner, apiKey, reelgate: new sdk.Reelgate({ baseUrl, apiKey }) }
}

/** Starts a server that records its requests; returns its URL. */
async function serving(listener: RequestListener): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server = createServer((req, res) => {
    requests.push(req)
    listener(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('uploads', () => {
  const file = likeVideo(5 * MB)
  const stored = async (videoId: string) => {
    const { sourceKey } = await db().media.findUniqueOrThrow({ where: { id: videoId } })
    return sha256(storage().read(sourceKey))
  }

  it('permits the page that creates an upload to send the file', async () => {
    const { reelgate, owner } = await client()
    vi.stubGlobal('location', { origin: 'https://course.example.com' })
    await reelgate.uploads.fromFile(new Blob([file]), { video: { title: 'Of the page' } })
    vi.stubGlobal('location', { origin: 'null' })
    await reelgate.uploads.fromFile(new Blob([file]), { video: { title: 'Of a file' } })
    vi.unstubAllGlobals()
    const rows = await db().directUpload.findMany({ where: { accountId: owner.accountId }, orderBy: { createdAt: 'asc' } })
    expect(rows.map(({ allowedOrigin }) => allowedOrigin)).toEqual(['https://course.example.com', null])
  })

  it('throws what is wrong with each value of an invalid request', async () => {
    const { reelgate } = await client()
    expect(await caught(reelgate.createUpload({ title: ' ', expiresInSec: 1 }))).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'INVALID_REQUEST: The request is invalid. title: Enter a title. expiresInSec: Must be at least 60.',
    })
  })

  it.each(['path', 'Blob'])('sends a file, given as a %s, and goes on after lost requests and lost responses', async (kind) => {
    const { reelgate } = await client()
    const path = join(folder, 'lesson.mkv')
    writeFileSync(path, file)
    const given = kind === 'path' ? path : new File([file], 'lesson.mkv')
    const sent: string[] = []
    const flaky: typeof fetch = async (input, init) => {
      sent.push(init?.method ?? '')
      if (sent.length === 3) throw new TypeError('fetch failed')
      const response = await fetch(input, init)
      if (sent.length === 6) throw new TypeError('terminated')
      return response
    }
    const steps: number[] = []
    const created: string[] = []
    const { uploadId, videoId } = await reelgate.uploads.fromFile(given, {
      chunkBytes: MB,
      fetch: flaky,
      onProgress: ({ bytesSent }) => steps.push(bytesSent / MB),
      onCreated: (upload) => void created.push(upload.uploadId),
    })
    expect(created).toEqual([uploadId])
    expect(await reelgate.getUpload(uploadId)).toMatchObject({ status: 'completed', videoId })
    expect(await stored(videoId)).toBe(await sha256([file]))
    expect([steps[0], steps.at(-1)]).toEqual([0, 5])
    // Each part was received once: no request began again after the failures.
    expect(sent.filter((method) => method === 'POST')).toHaveLength(1)
    expect(sent.filter((method) => method === 'PATCH').length).toBeLessThanOrEqual(6)
    expect((await reelgate.getVideo(videoId)).title).toBe('lesson')
  })

  it('stops with its signal, and goes on with the same URL later', async () => {
    const { reelgate } = await client()
    const { uploadUrl } = await reelgate.createUpload({ title: 'Interrupted' })
    const stop = new AbortController()
    const first = sdk.sendFile(uploadUrl, new Blob([file]), {
      chunkBytes: MB,
      signal: stop.signal,
      onProgress: ({ bytesSent }) => bytesSent >= 2 * MB && stop.abort(),
    })
    expect(await caught(first)).toMatchObject({ name: 'AbortError' })
    const steps: number[] = []
    const { videoId } = await sdk.sendFile(uploadUrl, new Blob([file]), {
      chunkBytes: MB,
      onProgress: ({ bytesSent }) => steps.push(bytesSent / MB),
    })
    expect(steps[0]).toBeGreaterThanOrEqual(2)
    expect(await stored(videoId)).toBe(await sha256([file]))
    // A call after the last byte returns the same video.
    expect(await sdk.sendFile(uploadUrl, new Blob([file]))).toEqual({ videoId })
  })

  it('reports a refusal at once, and a missing or empty file before an upload is created', async () => {
    const { reelgate } = await client()
    const text = new Blob(['This is a text and no video.'.repeat(100)])
    const { uploadUrl, uploadId } = await reelgate.createUpload({ maxBytes: 10 })
    expect(await caught(sdk.sendFile(uploadUrl, text))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    await reelgate.cancelUpload(uploadId)
    expect(await caught(sdk.sendFile(uploadUrl, text))).toMatchObject({ name: 'ReelgateError', code: 'UPLOAD_FAILED', status: 410 })
    const wrong = `${uploadUrl.slice(0, -4)}AAAA`
    expect(await caught(sdk.sendFile(wrong, text))).toMatchObject({ name: 'ReelgateError', code: 'UPLOAD_URL_INVALID' })
    const onCreated = vi.fn()
    expect(await caught(reelgate.uploads.fromFile(join(folder, 'none.mp4'), { onCreated }))).toMatchObject({ code: 'ENOENT' })
    expect(await caught(reelgate.uploads.fromFile(new Blob([]), { onCreated }))).toMatchObject({ message: 'This file is empty.' })
    expect(onCreated).not.toHaveBeenCalled()
  })
})

describe('requests', () => {
  const json = { 'Content-Type': 'application/json' }

  it('are repeated after 503 and after a lost connection, with one idempotency key', async () => {
    const { reelgate } = await client()
    let failures = 0
    const { url, requests } = await serving(async (req, res) => {
      if (failures++ === 0) return void res.writeHead(503, { 'Retry-After': '0', ...json }).end('{}')
      if (failures === 2) return void req.socket.destroy()
      const body = await new Response(req as never).text()
      const { 'x-service-key': key, 'idempotency-key': once } = req.headers as Record<string, string>
      const headers = { ...json, 'x-service-key': key as string, 'Idempotency-Key': once as string }
      const passed = await fetch(`${baseUrl}${req.url}`, { method: 'POST', headers, body })
      res.writeHead(passed.status, json).end(await passed.text())
    })
    const other = new sdk.Reelgate({ baseUrl: url, apiKey: (await client()).apiKey })
    const { uploadId } = await other.createUpload({ title: 'Once' })
    expect(uploadId).toMatch(/^upl_/)
    const keys = requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    // A deletion is not repeated: its second response would be VIDEO_NOT_FOUND.
    failures = 0
    requests.length = 0
    await caught(other.deleteVideo('vid_x'))
    expect(requests).toHaveLength(1)
    expect(await reelgate.listVideos()).toEqual([])
  })

  it('end after the timeout, and report pages of proxies in words', async () => {
    const silent = await serving(() => {})
    const slow = await caught(new sdk.Reelgate({ baseUrl: silent.url, apiKey: 'ak', timeoutMs: 50, retries: 1 }).listVideos())
    expect(slow).toMatchObject({ name: 'ReelgateConnectionError', message: 'The service did not respond: no response within 0.05 s' })
    expect(silent.requests).toHaveLength(2)
    const page = '<html><head><title>502 Bad\nGateway</title></head><body>…</body></html>'
    for (const status of [200, 502]) {
      const { url } = await serving((_req, res) => res.writeHead(status, { 'Content-Type': 'text/html' }).end(page))
      const error = await caught(new sdk.Reelgate({ baseUrl: url, apiKey: 'ak', retries: 0 }).listVideos())
      expect(error).toMatchObject({
        name: 'ReelgateConnectionError',
        status,
        message: `The response (status ${status}) is not from the service: it is text/html, “502 Bad Gateway”. Check the URL of the service.`,
      })
    }
  })

  it('of an exhausted key carry its quota', async () => {
    const { reelgate } = await client(['video:read'], 'TEST')
    const error = await caught(reelgate.createPlaybackToken('vid_test_rate_limited'))
    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', rateLimit: { limit: 1000, remaining: 0, resetAt: expect.any(Date) } })
  })

  it('read settings from the environment, and refuse wrong ones and wrong ids in words', async () => {
    const { apiKey, owner } = await client()
    await makeVideo(owner)
    vi.stubEnv('REELGATE_URL', `${baseUrl}/`)
    vi.stubEnv('REELGATE_API_KEY', apiKey)
    expect(await new sdk.Reelgate().listVideos()).toHaveLength(1)
    vi.stubEnv('REELGATE_URL', '')
    expect(() => new sdk.Reelgate()).toThrow('Specify baseUrl')
    expect(() => new sdk.Reelgate({ baseUrl: 'video.example.com' })).toThrow('is not a URL')
    expect(() => new sdk.Reelgate({ baseUrl, timeoutMs: -1 })).toThrow('timeoutMs must be a number')
    const reelgate = new sdk.Reelgate({ baseUrl })
    vi.unstubAllEnvs()
    for (const id of [undefined, '', 7])
      expect(await caught(reelgate.getVideo(id as never)), String(id)).toMatchObject({ message: expect.stringContaining('videoId') })
  })

  it('read every page and every event', async () => {
    const { reelgate, owner } = await client(['video:read', 'webhook:read'])
    const made = [await makeVideo(owner), await makeVideo(owner), await makeVideo(owner)]
    const found: string[] = []
    for await (const { id } of reelgate.iterateVideos({ limit: 2 })) found.push(id)
    expect(found.sort()).toEqual(made.sort())
    const { position } = await reelgate.listEvents()
    await reelgate.createSampleEvent('wallet.refilled')
    const stop = new AbortController()
    const types: string[] = []
    const all = (async () => {
      for await (const { eventType } of reelgate.iterateEvents({ cursor: position, signal: stop.signal })) {
        types.push(eventType)
        stop.abort()
      }
    })()
    expect(await caught(all)).toMatchObject({ name: 'AbortError' })
    expect(types).toEqual(['wallet.refilled'])
  })

  it('pause when the service does not wait for events, as while it stops', async () => {
    const { url, requests } = await serving((_req, res) => {
      res.setHeader('Content-Type', 'application/json')
      res.end(JSON.stringify({ success: true, data: [], pagination: { nextCursor: null, hasMore: false, position: '1.1' } }))
    })
    const reelgate = new sdk.Reelgate({ baseUrl: url, apiKey: 'key' })
    const signal = AbortSignal.timeout(1_500)
    expect(await caught(reelgate.iterateEvents({ cursor: '1.0', signal }).next())).toMatchObject({ name: 'TimeoutError' })
    expect(requests.length).toBeLessThanOrEqual(2)
  })
})

describe('webhooks.constructEvent', () => {
  const sample = { eventId: 'evt_1', eventType: 'video.processing.completed', createdAt: '2026-01-01T00:00:00.000Z' }
  const body = JSON.stringify({ ...sample, data: EVENTS['video.processing.completed'].sample })
  const now = () => Math.floor(Date.now() / 1000)
  const [mine, other] = ['whsec_mine', 'whsec_other']

  it('returns the event that the service signed, also during a rotation', async () => {
    for (const secrets of [[mine], [other, mine]])
      for (const raw of [body, new TextEncoder().encode(body)])
        expect(await sdk.webhooks.constructEvent(raw, signatureHeader(secrets, now(), body), mine)).toEqual(JSON.parse(body))
    expect(await sdk.webhooks.constructEvent(body, signatureHeader([mine], now(), body), [other, mine])).toEqual(JSON.parse(body))
  })

  it.each([
    ['another secret', () => [body, signatureHeader([other], now(), body)], 'does not match'],
    ['a changed body', () => [`${body} `, signatureHeader([mine], now(), body)], 'does not match'],
    ['an old time', () => [body, signatureHeader([mine], now() - 301, body)], 'too old'],
    ['a future time', () => [body, signatureHeader([mine], now() + 310, body)], 'from the future'],
    ['no header', () => [body, undefined], 'no X-Service-Signature'],
    ['a malformed header', () => [body, 't=now,v1=abc'], 'malformed'],
  ])('refuses %s', async (_what, make, message) => {
    const [raw, header] = make()
    const error = await caught(sdk.webhooks.constructEvent(raw as string, header, mine))
    expect(error).toMatchObject({ name: 'ReelgateSignatureError', message: expect.stringContaining(message) })
    expect(error).toBeInstanceOf(sdk.ReelgateSignatureError)
  })

  it('refuses a parsed body and a missing secret in words', async () => {
    expect(await caught(sdk.webhooks.constructEvent({} as never, 't=1', mine))).toMatchObject({
      message: expect.stringContaining('raw body'),
    })
    expect(await caught(sdk.webhooks.constructEvent(body, 't=1', ''))).toMatchObject({ message: expect.stringContaining('whsec_') })
  })
})
