import superjson, { type SuperJSONResult } from 'superjson'
import { describe, expect, it } from 'vitest'
import { ERRORS } from '#server/errors'
import { MAX_CAPTION_CHARACTERS } from '#server/modules/videos/schema'
import { testDatabase } from '#server/testing/database'
import { makeAccount, makeVideo } from '#server/testing/make'
import { cookieFor } from '#server/testing/sign-in'
import type { ErrorData } from '#server/trpc/init'
import { GET, POST } from './route'

await testDatabase()
const base = 'http://reelgate.test/api/trpc'
const home = { origin: 'http://reelgate.test', host: 'reelgate.test' }

interface Answer {
  status: number
  data?: unknown
  error?: { message: string; data: ErrorData }
  text: string
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const body = JSON.parse(text) as { result?: { data: SuperJSONResult }; error?: SuperJSONResult }
  return {
    status: response.status,
    text,
    data: body.result && superjson.deserialize(body.result.data),
    error: body.error && superjson.deserialize(body.error),
  }
}

const ask = async (path: string, input: unknown, headers: Record<string, string> = {}) =>
  read(await GET(new Request(`${base}/${path}?input=${encodeURIComponent(superjson.stringify(input))}`, { headers })))

async function tell(path: string, input: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const body = superjson.stringify(input)
  const given = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)), ...home, ...headers }
  return read(await POST(new Request(`${base}/${path}`, { method: 'POST', body, headers: given })))
}

describe('the dashboard over HTTP', () => {
  it('returns the signed-in user', async () => {
    const ctx = await makeAccount()
    const { status, data } = await ask('account.me', undefined, { cookie: await cookieFor(ctx) })
    expect([status, data]).toMatchObject([200, { role: 'OWNER', account: { id: ctx.accountId } }])
  })

  it.each(['account.me', 'account.overview', 'key.list', 'video.list'])('returns 401 at %s without a sign-in', async (path) => {
    const { status, error } = await ask(path, {})
    expect(status).toBe(401)
    expect(error).toMatchObject({
      message: 'Sign in to continue.',
      data: { code: 'UNAUTHENTICATED', status: 401, requestId: expect.stringMatching(/^req_/) },
    })
  })

  it('returns 404 for what does not exist, and the same for what belongs to another account', async () => {
    const [ctx, stranger] = [await makeAccount(), await makeAccount()]
    const cookie = await cookieFor(stranger)
    const answers = [
      await ask('video.get', { videoId: await makeVideo(ctx) }, { cookie }),
      await ask('video.get', { videoId: 'vid_none' }, { cookie }),
    ]
    for (const { status, error } of answers) expect([status, error?.data.code]).toEqual([404, 'VIDEO_NOT_FOUND'])
    expect(answers[0]?.error?.message).toBe(answers[1]?.error?.message)
    expect((await ask('no.such', {}, { cookie })).error?.data).toMatchObject({ code: 'NOT_FOUND', status: 404 })
  })

  it('names the invalid fields, never the code', async () => {
    const { status, error, text } = await tell('account.signUp', { email: 'ada', password: 'x' })
    expect(status).toBe(400)
    expect(error?.data).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [
        { path: 'email', message: 'Enter a complete email address, such as ada@example.com.' },
        { path: 'password', message: 'Use at least 10 characters.' },
      ],
    })
    expect(text).not.toMatch(/stack|node_modules|\.ts/)
  })

  describe.each([
    ['NUL', '\0'],
    ['half a character', '\ud800'],
  ])('text that no database can store (%s)', (_, bad) => {
    const ids = { videoId: `vid_${bad}` }
    it.each<[string, object]>([
      ['key.create', { name: `a${bad}`, environment: 'LIVE', scopes: ['video:read'] }],
      ['key.revoke', { keyId: `key_${bad}` }],
      ['key.rotate', { keyId: `key_${bad}`, overlapSec: 0 }],
      ['video.edit', { videoId: 'vid_a', title: `a${bad}`, description: null }],
      ['video.edit', { videoId: 'vid_a', title: 'a', description: `a${bad}` }],
      ['video.putCaptions', { videoId: 'vid_a', language: 'en', label: `a${bad}`, text: 'WEBVTT' }],
      ...['video.remove', 'video.restore', 'video.retry'].map((path) => [path, ids] as [string, object]),
      ...['video.get', 'video.log', 'viewing.preview'].map((path) => [path, ids] as [string, object]),
      ['viewing.report', { ...ids, range: '7d' }],
    ])('is refused by %s', async (path, input) => {
      const cookie = await cookieFor(await makeAccount())
      const isQuery = /get|log|viewing/.test(path)
      const { status, error } = isQuery ? await ask(path, input, { cookie }) : await tell(path, input, { cookie })
      expect([status, error?.data.code]).toEqual([400, 'INVALID_REQUEST'])
    })
  })

  it('creates an account once for an e-mail', async () => {
    const input = { email: 'dorothy@example.com', password: 'correct horse battery' }
    expect(await tell('account.signUp', input)).toMatchObject({ status: 200, data: { accountId: expect.stringMatching(/^acc_/) } })
    const { status, error } = await tell('account.signUp', input)
    expect([status, error?.data.code, error?.data.details]).toMatchObject([409, 'CONFLICT', [{ path: 'email' }]])
  })

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbouring site', { 'sec-fetch-site': 'same-site' }],
    ['another origin', { origin: 'https://evil.test' }],
    ['an opaque origin', { origin: 'null' }],
    ['another port', { origin: 'http://reelgate.test:8080' }],
  ])('changes nothing for %s', async (_, headers) => {
    const ctx = await makeAccount()
    const { status, error } = await tell('video.remove', { videoId: await makeVideo(ctx) }, { cookie: await cookieFor(ctx), ...headers })
    expect([status, error?.data.code]).toEqual([403, 'FORBIDDEN'])
  })

  it('accepts changes from its own pages, under any host name they were loaded from', async () => {
    const ctx = await makeAccount()
    const cookie = await cookieFor(ctx)
    for (const host of ['127.0.0.1:3000', 'localhost:3000', 'videos.intranet']) {
      const videoId = await makeVideo(ctx)
      expect(await tell('video.remove', { videoId }, { cookie, host, origin: `http://${host}` })).toMatchObject({ status: 200 })
    }
  })

  it('saves the longest captions that can be published as a draft, of three bytes a character too', async () => {
    const ctx = await makeAccount()
    const videoId = await makeVideo(ctx)
    const head = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n'
    const text = `${head}${'字'.repeat(MAX_CAPTION_CHARACTERS - head.length - 1)}\n`
    const cookie = await cookieFor(ctx)
    const saved = await tell('captions.saveDraft', { videoId, language: 'ja', text, revision: 0, basedOn: null }, { cookie })
    expect(saved).toMatchObject({ status: 200, data: { revision: expect.any(Number) } })
    const { revision } = saved.data as { revision: number }
    const published = await tell('captions.publishDraft', { videoId, language: 'ja', revision, expected: null }, { cookie })
    expect(published).toMatchObject({ status: 200, data: { cues: 1 } })
  })

  it('refuses bodies that the service’s pages do not send', async () => {
    const long = { method: 'POST', body: 'x'.repeat(300_000), headers: { ...home, 'content-length': '300000' } }
    const endless = { method: 'POST', body: '{}', headers: home }
    for (const request of [long, endless]) {
      const { status, error } = await read(await POST(new Request(`${base}/account.signUp`, request)))
      expect([status, error]).toMatchObject([413, { message: ERRORS.PAYLOAD_TOO_LARGE.message, data: { code: 'PAYLOAD_TOO_LARGE' } }])
    }
    const broken = { method: 'POST', body: '{', headers: { ...home, 'content-type': 'application/json', 'content-length': '1' } }
    const { status, error } = await read(await POST(new Request(`${base}/account.signUp`, broken)))
    expect([status, error?.data.code]).toEqual([400, 'INVALID_REQUEST'])
  })
})
