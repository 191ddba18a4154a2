import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { services } from '../../../platform/container.ts'
import { db, pool, query } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { Spool } from '../../../platform/files/spool.ts'
import { etagOf } from '../../../platform/network/etag.ts'
import { beginLongAnswer } from '../../../platform/turns/long-answers.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../testing/make.ts'
import { presentVideo, VIDEO_COLUMNS, type VideoRow } from '../presenter.ts'
import { ListRenderer, type RenderedList } from './render-list.ts'

await testDatabase()
const baseUrl = await startHttpServer()

/** Enough for several slices and for a spool. */
const MANY = 1_600
let ctx: AccountCtx
let key: string

/** Adds videos with descriptions of 2,000 characters, in groups that share a time. */
async function addVideos(count: number, prefix = 'vid_many'): Promise<void> {
  await query(
    'test-long-list',
    `INSERT INTO video (id, account_id, title, description, status, target_quality, created_at)
     SELECT $3 || n, $1, 'Clip ' || n, repeat('é', 2000), 'COMPLETED', '720p',
       timestamptz '2026-01-01' + (n / 7) * interval '1 second' FROM generate_series(1, $2::int) AS n`,
    [ctx.accountId, count, prefix],
  )
}

beforeAll(async () => {
  ctx = await makeAccount()
  key = (await makeKey(ctx)).value
})

const ask = (headers = {}, method = 'GET') => fetch(`${baseUrl}/v1/video`, { method, headers: { 'x-service-key': key, ...headers } })
const cached = () => services().videoLists.peek(ctx.accountId)

/** Reads the list until it is cached: notices of earlier changes may still arrive. Returns what is cached. */
async function cachedList(): Promise<RenderedList> {
  await expect
    .poll(async () => {
      await (await ask()).arrayBuffer()
      return cached()
    })
    .toBeDefined()
  return cached() as RenderedList
}

/** Returns the list as one statement and JSON.stringify make it. */
async function wholeList(): Promise<string> {
  const { rows } = await pool().query<VideoRow>(`SELECT ${VIDEO_COLUMNS} FROM video WHERE account_id = $1 ORDER BY created_at DESC, id`, [
    ctx.accountId,
  ])
  return JSON.stringify({ success: true, data: rows.map(presentVideo) })
}

/** Resolves when the next notice of a topic was received, and with it by every cache. */
const noticed = (topic: string) =>
  new Promise<void>((resolve) => {
    const stop = notifications().on(topic, () => {
      stop()
      setImmediate(resolve)
    })
  })

it('has the bytes of JSON.stringify, whatever text a video has', async () => {
  const text = `"\\/\b\f\n\r\t\u0001\u001f\u007f\u0085\u2028\u2029é漢😀 </script> ${'x'.repeat(60)}`
  for (const status of ['PENDING', 'PROCESSING', 'FAILED'] as const)
    await makeVideo(ctx, { title: text, description: text, status, qualities: [], completedAt: null })
  await makeVideo(ctx, { description: null, createdAt: new Date('0999-02-03T04:05:06.007Z'), durationSec: 0 })
  await makeVideo(ctx, { description: '', createdAt: new Date('9999-12-31T23:59:59.999Z'), qualities: ['1080p'] })
  const body = await (await ask()).text()
  expect(JSON.parse(body).data).toHaveLength(5)
  expect(body).toBe(await wholeList())
})

describe('a list that is too long for memory', () => {
  beforeAll(async () => {
    await addVideos(MANY)
    await vi.waitFor(async () => expect((await (await ask()).json()).data.length).toBeGreaterThan(MANY))
  })

  it('is spooled and has the same bytes, length and validator as one in memory', async () => {
    expect((await cachedList()).content).toBeInstanceOf(Spool)
    const expected = await wholeList()
    const response = await ask()
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.equals(Buffer.from(expected))).toBe(true)
    expect(response.headers.get('content-length')).toBe(String(bytes.byteLength))
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('etag')).toBe(etagOf(expected))
  })

  it('is not sent for HEAD and for its validator, and its file is closed with its last reader', async () => {
    const { content: spool } = (await cachedList()) as { content: Spool }
    const whole = await ask()
    const etag = whole.headers.get('etag') as string
    await whole.arrayBuffer()
    const head = await ask({}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, whole.headers.get('content-length'), ''])
    const same = await ask({ 'if-none-match': etag })
    expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, etag, ''])
    await change({ title: 'Renamed' })
    const closed = async () =>
      spool
        .read(() => {})
        .next()
        .then(
          () => 'open',
          (error: NodeJS.ErrnoException) => error.code,
        )
    await expect.poll(closed).toBe('EBADF')
    expect((await ask({ 'if-none-match': etag })).status).toBe(200)
  })

  it('is read by 50 readers of an account at once, each until its response has ended', async () => {
    const others = Array.from({ length: 49 }, () => beginLongAnswer('lists', ctx.accountId))
    const last = await ask()
    const refused = await ask()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    await last.arrayBuffer()
    const untilEnded = () => expect.poll(() => services().longAnswers.lists.load().running).toBe(49)
    await untilEnded()
    expect((await ask({}, 'HEAD')).status).toBe(200)
    await untilEnded()
    for (const one of others) one.end()
  })

  it('shows one state of the account, although videos change while it is read', async () => {
    const rename = (round: number) =>
      query('test-rename', 'UPDATE video SET title = $2 WHERE account_id = $1', [ctx.accountId, `Round ${round}`])
    await rename(0)
    const titles = async () => {
      const { data } = (await (await ask()).json()) as { data: { title: string }[] }
      return new Set(data.map(({ title }) => title))
    }
    await expect.poll(titles).toEqual(new Set(['Round 0']))
    for (let round = 1; round < 6; round++) {
      const [seen] = await Promise.all([titles(), rename(round)])
      expect(seen.size).toBe(1)
    }
  })

  it('serves a reader of an earlier state to its end', async () => {
    const slow = await begun()
    await query('test-rename', 'UPDATE video SET title = $2 WHERE account_id = $1', [ctx.accountId, 'Later'])
    await expect.poll(async () => (await (await ask()).json()).data[0].title).toBe('Later')
    const parts = await slow.toArray()
    const body = Buffer.concat(parts)
    expect(String(body.byteLength)).toBe(slow.headers['content-length'])
    expect(JSON.parse(String(body)).data[0].title).not.toBe('Later')
  })

  it('ends the connection of a response that cannot be completed', async () => {
    const { content } = (await cachedList()) as { content: Spool }
    const slow = await begun()
    await (content as unknown as { file: { truncate(bytes: number): Promise<void> } }).file.truncate(1_000)
    await expect(slow.toArray()).rejects.toMatchObject({ code: 'ECONNRESET' })
    await change({ title: 'Cut' })
  })

  it('is 503 with Retry-After while there is no space for it, and complete afterwards', async () => {
    await change({ title: 'Once more' })
    const { listRenderer } = services()
    services().listRenderer = new ListRenderer({ bytes: 1_500_000, ofOwner: 4, retryAfter: 5 })
    for (let round = 0; round < 3; round++) {
      const refused = await ask()
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
      expect((await refused.json()).error.code).toBe('SERVICE_UNAVAILABLE')
    }
    services().listRenderer = listRenderer
    expect(await (await ask()).text()).toBe(await wholeList())
  })
})

/** Changes a video and waits until the cached list is dropped. */
async function change(data: { title: string }): Promise<void> {
  await db().video.update({ where: { id: 'vid_many1' }, data })
  await expect.poll(cached).toBeUndefined()
}

/** A connection that is kept would pass the next response off as the rest of an incomplete one. */
const keepAlive = new Agent({ keepAlive: true })

/** Begins to read the list and pauses after its head. */
async function begun(): Promise<IncomingMessage> {
  const request = get(`${baseUrl}/v1/video`, { headers: { 'x-service-key': key }, agent: keepAlive })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

it('stays cached while only the progress of a video changes', async () => {
  const made = noticed('video')
  const id = await makeVideo(ctx, { status: 'PROCESSING', completedAt: null })
  await made
  const before = await cachedList()
  const progress = noticed('video-progress')
  await db().media.update({ where: { id }, data: { progress: 40, etaSec: 12 } })
  await progress
  expect(cached()).toBe(before)
  const change = noticed('video')
  await db().media.update({ where: { id }, data: { progress: 41, durationSec: 60 } })
  await change
  expect(cached()).toBeUndefined()
})
