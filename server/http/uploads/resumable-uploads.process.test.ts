import { openAsBlob } from 'node:fs'
import { readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { JOBS } from '../../jobs.ts'
import { sessionCookieName } from '../../modules/identity/sessions/cookies.ts'
import { uploadFolder, uploadPath } from '../../modules/uploads/resumable/folder.ts'
import { sweepUploads } from '../../modules/uploads/resumable/sweep.ts'
import type { Role } from '../../permissions.ts'
import { db } from '../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../platform/job-queue.ts'
import { storage } from '../../platform/storage/storage.ts'
import { send as sendRaw } from '../../testing/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { startHttpServer } from '../../testing/http-server.ts'
import { makeAccount } from '../../testing/make.ts'
import { shortClip } from '../../testing/media/media-files.ts'
import { provide } from '../../testing/settings.ts'
import { cookieFor } from '../../testing/sign-in.ts'

await testDatabase()
provide({ MAX_UPLOAD_BYTES: '5000000' })
let baseUrl: string
let owner: Caller
let clip: Blob

interface Caller {
  ctx: AccountCtx
  cookie: string
}

async function caller(role: Role = 'OWNER'): Promise<Caller> {
  const ctx = await makeAccount(role)
  return { ctx, cookie: await cookieFor(ctx) }
}

beforeAll(async () => {
  baseUrl = await startHttpServer()
  await startQueue(JOBS)
  owner = await caller()
  clip = await openAsBlob(await shortClip())
})
afterAll(stopQueue)

const METADATA = {
  title: ' My clip ',
  description: 'Über alles',
  filename: 'C:\\clips\\my clip.mp4',
  filetype: 'video/mp4',
  targetQuality: '720p',
  captions: 'pt-br',
}

type Headers_ = Record<string, string>
const tus = (method: string, path: string, headers: Headers_ = {}, body?: BodyInit) =>
  fetch(new URL(path, baseUrl), { method, headers: { 'Tus-Resumable': '1.0.0', Cookie: owner.cookie, ...headers }, body })

function create(size: number, metadata: Record<string, string> = METADATA, headers: Headers_ = {}) {
  const pairs = Object.entries(metadata).map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
  return tus('POST', '/api/upload', { 'Upload-Length': String(size), 'Upload-Metadata': pairs.join(','), ...headers })
}

const send = (path: string, offset: number, body: BodyInit, headers: Headers_ = {}) =>
  tus('PATCH', path, { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream', ...headers }, body)

async function begin(size: number, metadata?: Record<string, string>): Promise<string> {
  const response = await create(size, metadata)
  expect(response.status).toBe(201)
  const location = response.headers.get('location') ?? ''
  expect(location).toMatch(/^\/api\/upload\/[0-9a-f]{32}$/)
  return location
}

const idOf = (location: string) => location.split('/').at(-1) ?? ''
const left = async () => (await readdir(uploadFolder())).filter((name) => name !== '.name').sort()
const queued = (videoId: string) =>
  db().transcodeQueue.findMany({
    where: { mediaId: videoId },
    select: { accountId: true, tasks: { select: { kind: true, leasedUntil: true } } },
  })
const rows = async (videoId: string) =>
  (await db().video.findMany({ where: { id: videoId }, include: { allMedia: true } })).map(({ allMedia, ...video }) => ({
    ...allMedia[0],
    ...video,
  }))

describe('an upload', () => {
  it('in pieces becomes a PENDING video in the queue, with its bytes stored', async () => {
    const location = await begin(clip.size)
    const half = Math.floor(clip.size / 2)
    const first = await send(location, 0, clip.slice(0, half))
    expect(first.status).toBe(204)
    expect(first.headers.get('x-video-id')).toBeNull()
    const asked = await tus('HEAD', location)
    expect(asked.headers.get('upload-offset')).toBe(String(half))
    const last = await send(location, half, clip.slice(half))
    expect(last.status).toBe(204)
    const videoId = last.headers.get('x-video-id') ?? ''
    const [video] = await rows(videoId)
    expect(video).toMatchObject({
      accountId: owner.ctx.accountId,
      title: 'My clip',
      description: 'Über alles',
      targetQuality: '720p',
      ...{ autoCaptions: true, captionLanguage: 'pt-BR' },
      status: 'PENDING',
      sourceName: 'my clip.mp4',
      sourceBytes: BigInt(clip.size),
    })
    expect(await queued(videoId)).toEqual([{ accountId: owner.ctx.accountId, tasks: [{ kind: 'plan', leasedUntil: null }] }])
    expect(await storage().stat(video?.sourceKey ?? '')).toEqual({ bytes: clip.size })
    expect(await left()).not.toContain(idOf(location))
    expect(await db().auditEntry.count({ where: { subject: videoId, action: 'video.upload' } })).toBe(1)
    const created = await db().webhookEvent.findMany({ where: { type: 'video.created', payload: { contains: videoId } } })
    expect(created.map(({ payload }) => JSON.parse(payload).data)).toMatchObject([{ videoId, durationSec: 0, externalId: null }])
  })

  it('of exactly the maximum size is accepted', async () => {
    const body = Buffer.concat([Buffer.from('1a45dfa3', 'hex'), Buffer.alloc(5_000_000 - 4)])
    const sent = await send(await begin(body.length), 0, body)
    expect([sent.status, (await rows(sent.headers.get('x-video-id') ?? ''))[0]?.sourceBytes]).toEqual([204, 5_000_000n])
  })

  it.each([
    ['a NUL in it', 'a\0b.mp4', 'ab.mp4'],
    ['the limit in the middle of a character', `${'x'.repeat(254)}😀.mp4`, `${'x'.repeat(254)}\ufffd`],
  ])('of a file whose name has %s becomes a video', async (_name, filename, stored) => {
    const videoId = (await send(await begin(clip.size, { ...METADATA, filename }), 0, clip)).headers.get('x-video-id') ?? ''
    expect(await rows(videoId)).toMatchObject([{ sourceName: stored }])
  })

  it('whose last response was lost returns its video on request, and creates no second one', async () => {
    const location = await begin(clip.size)
    const videoId = (await send(location, 0, clip)).headers.get('x-video-id') ?? ''
    const asked = await tus('HEAD', location)
    expect(asked.status).toBe(200)
    expect(asked.headers.get('upload-offset')).toBe(String(clip.size))
    expect(asked.headers.get('x-video-id')).toBe(videoId)
    expect(await queued(videoId)).toHaveLength(1)
  })

  it.each(['its client requests the offset', 'the sweep finds it'])(
    'that was complete when the process was killed is completed once %s',
    async (way) => {
      const location = await begin(clip.size)
      await writeFile(uploadPath(idOf(location)), Buffer.from(await clip.arrayBuffer()))
      if (way === 'its client requests the offset') {
        const answers = await Promise.all([tus('HEAD', location), tus('HEAD', location)])
        expect(new Set(answers.map((answer) => `${answer.status} ${answer.headers.get('x-video-id')}`)).size).toBe(1)
      } else await sweepUploads(new AbortController().signal)
      const videoId = (await tus('HEAD', location)).headers.get('x-video-id') ?? ''
      expect(await rows(videoId)).toHaveLength(1)
      expect(await queued(videoId)).toHaveLength(1)
    },
  )

  it('can be cancelled', async () => {
    const location = await begin(clip.size)
    expect((await tus('DELETE', location)).status).toBe(204)
    expect((await tus('HEAD', location)).status).toBe(404)
  })

  it('without a byte for a day is removed, a younger one is not', async () => {
    const [old, young] = [idOf(await begin(clip.size)), idOf(await begin(clip.size))]
    const longAgo = new Date(Date.now() - 25 * 3_600_000)
    for (const name of [old, `${old}.json`, `${young}.json`]) await utimes(join(uploadFolder(), name), longAgo, longAgo)
    await sweepUploads(new AbortController().signal)
    const names = await left()
    expect(names).not.toContain(old)
    expect(names).not.toContain(`${old}.json`)
    expect(names).toContain(young)
    expect(names).toContain(`${young}.json`)
  })

  it('of another account is not found', async () => {
    const location = await begin(clip.size)
    const stranger = await caller()
    for (const method of ['HEAD', 'DELETE']) expect((await tus(method, location, { Cookie: stranger.cookie })).status).toBe(404)
    expect((await send(location, 0, clip, { Cookie: stranger.cookie })).status).toBe(404)
    expect((await tus('HEAD', location)).headers.get('upload-offset')).toBe('0')
  })

  it.each(['/api/upload/?x=/', '/api/upload?/', '/api/upload/#/', '/api/upload/?'])(
    'of another account is not reached through %s<its id>',
    async (way) => {
      const id = idOf(await begin(clip.size))
      const { cookie } = await caller()
      const headers = { 'Tus-Resumable': '1.0.0', Cookie: cookie, 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }
      for (const method of ['HEAD', 'DELETE', 'PATCH'])
        expect((await sendRaw(`${baseUrl}${way}${id}`, { method, headers, body: method === 'PATCH' ? 'theirs' : undefined })).status).toBe(
          404,
        )
      expect((await tus('HEAD', `/api/upload/${id}`)).headers.get('upload-offset')).toBe('0')
    },
  )
})

describe('POST /api/upload', () => {
  const whole = async (bytes: BodyInit, size: number) => {
    const location = await begin(size)
    const response = await send(location, 0, bytes)
    expect(await left()).not.toContain(idOf(location))
    expect(await left()).not.toContain(`${idOf(location)}.json`)
    return response
  }

  it.each([
    ['text', 'Just some words that are no clip at all.'],
    ['a picture', Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(500)])],
    ['an HLS playlist', `#EXTM3U\n#EXTINF:4,\nfile:///etc/passwd\n${'#\n'.repeat(400)}`],
    ['nulls', Buffer.alloc(4_000)],
  ])('refuses %s with a sentence for the user', async (_name, content) => {
    const before = await db().video.count()
    const response = await whole(content, Buffer.byteLength(content))
    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(/^This file is not a video\./)
    expect(response.headers.get('x-video-id')).toBeNull()
    expect(await db().video.count()).toBe(before)
  })

  it.each<[string, number, Record<string, string>, number, RegExp]>([
    ['an empty file', 0, METADATA, 400, /^This file is empty\.$/],
    ['too large a file', 5_000_001, METADATA, 413, /^The file is larger than this service accepts\.$/],
    ['no title', 9, { filename: 'a.mp4' }, 400, /^Enter a title\.$/],
    ['a blank title', 9, { ...METADATA, title: '   ' }, 400, /^Enter a title\.$/],
    ['too long a title', 9, { ...METADATA, title: 'x'.repeat(201) }, 400, /at most 200 characters/],
    ['too long a description', 9, { ...METADATA, description: 'x'.repeat(5_001) }, 400, /at most 5,000 characters/],
    ['a title that no database holds', 9, { ...METADATA, title: 'a\0b' }, 400, /^Remove the control character U\+0000/],
    ['a description that no database holds', 9, { ...METADATA, description: 'a\0b' }, 400, /^Remove the control character U\+0000/],
    ['an unknown quality', 9, { ...METADATA, targetQuality: '999p' }, 400, /^Choose one of the qualities\.$/],
    ['captions in no language', 9, { ...METADATA, captions: 'the spoken one' }, 400, /^Use auto, none, or a language tag/],
  ])('refuses %s with a sentence for the user', async (_name, size, metadata, status, words) => {
    const response = await create(size, metadata)
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(await response.text()).toMatch(words)
  })

  it('accepts the longest possible description, in any script', async () => {
    expect((await create(9, { ...METADATA, description: '影'.repeat(5_000) })).status).toBe(201)
  })

  it.each<[string, Headers_, number]>([
    ['a caller without a session', { Cookie: '' }, 401],
    ['another site', { Origin: 'https://evil.example' }, 403],
    ['another site with a hidden origin', { Origin: 'null' }, 403],
  ])('refuses %s', async (_name, headers, status) => {
    expect((await create(9, METADATA, headers)).status).toBe(status)
  })

  it('refuses a forged session', async () => {
    expect((await create(9, METADATA, { Cookie: `${sessionCookieName()}=abc.def` })).status).toBe(401)
  })

  it('refuses an upload composed of other uploads', async () => {
    const response = await tus('POST', '/api/upload', { 'Upload-Concat': 'final;/api/upload/a /api/upload/b' })
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(/not .*supported/)])
  })

  it('ignores claims about its owner in the description', async () => {
    const theirs = { ...METADATA, accountId: (await caller()).ctx.accountId, videoId: 'vid_chosen' }
    const videoId = (await send(await begin(clip.size, theirs), 0, clip)).headers.get('x-video-id') ?? ''
    expect(videoId).toMatch(/^vid_[0-9A-Za-z]{22}$/)
    expect(await rows(videoId)).toMatchObject([{ accountId: owner.ctx.accountId }])
  })

  it('accepts requests from its own pages', async () => {
    expect((await create(9, METADATA, { Origin: baseUrl })).status).toBe(201)
  })

  it('refuses a viewer', async () => {
    const response = await create(9, METADATA, { Cookie: (await caller('VIEWER')).cookie })
    expect(response.status).toBe(403)
    expect(await response.text()).toMatch(/^A Viewer cannot/)
  })

  it.each(['/api/upload/../../etc/passwd', '/api/upload/%2e%2e%2fsecret', '/api/upload/xyz', `/api/upload/${'0'.repeat(32)}`])(
    'returns 404 for %s',
    async (path) => {
      expect((await tus('HEAD', path)).status).toBe(404)
    },
  )

  it('refuses to read an upload back', async () => {
    const location = await begin(clip.size)
    const response = await tus('GET', location)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toContain('PATCH')
    expect(await stat(uploadPath(idOf(location)))).toBeTruthy()
  })
})
