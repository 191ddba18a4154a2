import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { JOBS } from '../../jobs.ts'
import { query } from '../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../platform/job-queue.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeVideo } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { removeMedia } from '../media/remove-media.ts'
import { purgeCdn, purgeRequests } from './cdn-purge.ts'
import { takeDown } from './take-down.ts'

await testDatabase()
let status = 200
const received: { path: string | undefined; headers: IncomingMessage['headers']; body: string }[] = []
const cdn = createServer((request, response) => {
  let body = ''
  request.on('data', (part) => {
    body += part
  })
  request.on('end', () => {
    received.push({ path: request.url, headers: request.headers, body })
    response.writeHead(status).end()
  })
})
let url = ''
beforeAll(async () => {
  await startQueue(JOBS)
  await new Promise<void>((resolve) => cdn.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(cdn.address() as AddressInfo).port}`
})
afterAll(async () => {
  cdn.close()
  await stopQueue()
})
beforeEach(() => {
  received.length = 0
  status = 200
  provide({
    CDN_URL: 'https://cdn.example.com',
    CDN_PURGE_URL: `${url}/purge`,
    CDN_PURGE_TOKEN: 'a token',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  })
})

const signal = new AbortController().signal
const jobs = async () =>
  (await query<{ data: { mediaIds: string[] } }>('jobs', `SELECT data FROM pgboss.job WHERE name = 'cdn.purge'`, [])).flatMap(
    ({ data }) => data.mediaIds,
  )

it('sends a purge to an endpoint of the operator', async () => {
  await purgeCdn({ mediaIds: ['vid_1'] }, signal)
  const headers = expect.objectContaining({ authorization: 'Bearer a token' })
  expect(received).toEqual([{ path: '/purge', headers, body: '{"prefixes":["https://cdn.example.com/cdn/segments/vid_1/"]}' }])
})

it.each([
  [
    'https://api.cloudflare.com/client/v4/zones/ZONE/purge_cache',
    { Authorization: 'Bearer a token' },
    '',
    '{"prefixes":["cdn.example.com/cdn/segments/vid_1/"]}',
  ],
  [
    'https://api.bunny.net/purge?async=true',
    { AccessKey: 'a token' },
    `&url=${encodeURIComponent('https://cdn.example.com/cdn/segments/vid_1/*')}`,
    undefined,
  ],
])('forms the request as %s expects it', (CDN_PURGE_URL, headers, query, body) => {
  provide({ CDN_PURGE_URL })
  expect(purgeRequests(['https://cdn.example.com/cdn/segments/vid_1/'])).toEqual([
    { url: CDN_PURGE_URL + query, headers: expect.objectContaining(headers), ...(body && { body }) },
  ])
})

it('names the objects of the bucket where playlists do', async () => {
  provide({ CDN_ORIGIN: 'direct', STORAGE_URL: 's3://media/some/prefix' })
  await purgeCdn({ mediaIds: ['vid_1'] }, signal)
  expect(received[0]?.body).toContain('"https://cdn.example.com/some/prefix/segments/vid_1/"')
  provide({ CDN_ORIGIN: '', STORAGE_URL: '' })
})

it('fails, so that the job is retried, unless the CDN confirms', async () => {
  status = 429
  await expect(purgeCdn({ mediaIds: ['vid_1'] }, signal)).rejects.toThrow('The CDN responded with 429.')
  provide({ WEBHOOK_ALLOWED_HOSTS: '' })
  await expect(purgeCdn({ mediaIds: ['vid_1'] }, signal)).rejects.toThrow()
  expect(received).toHaveLength(1)
})

it('follows a take-down and the removal of media, and nothing without a CDN', async () => {
  const ctx = await makeAccount()
  const [first, second, third] = [await makeVideo(ctx), await makeVideo(ctx), await makeVideo(ctx)]
  const operator = { ...ctx, actor: { kind: 'operator' } } as const
  await takeDown(operator, { videoId: first, reason: 'A complaint.' })
  await removeMedia(second)
  expect((await jobs()).sort()).toEqual([first, second].sort())
  provide({ CDN_PURGE_URL: '' })
  await takeDown(operator, { videoId: third, reason: 'A complaint.' })
  expect(await jobs()).toHaveLength(2)
})
