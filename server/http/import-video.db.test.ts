import { existsSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { JOBS } from '../jobs.ts'
import { storageOf } from '../modules/accounts/storage.ts'
import { expireDirectUploads } from '../modules/uploads/expire-direct.ts'
import { uploadPath } from '../modules/uploads/folder.ts'
import { SEALED_IMPORT_URLS } from '../modules/uploads/import-rows.ts'
import { runImport } from '../modules/uploads/import-run.ts'
import { db, query } from '../platform/database.ts'
import { startQueue, stopQueue } from '../platform/job-queue.ts'
import { reseal } from '../platform/reseal.ts'
import type { Resolve } from '../platform/ssrf-safe-agent.ts'
import { storage } from '../platform/storage/storage.ts'
import { makeCertificate } from '../testing/certificate.ts'
import { testDatabase } from '../testing/database.ts'
import { refusalOf, uploadCaller } from '../testing/direct-upload.ts'
import { atFileEnd } from '../testing/file-end.ts'
import { inRanges, rangeOf, startFileServer, whole } from '../testing/file-server.ts'
import { startHttpServer } from '../testing/http-server.ts'
import { logLines } from '../testing/logs.ts'
import { makeKey } from '../testing/make.ts'
import { provide, renew } from '../testing/settings.ts'
import { likeVideo, sha256 } from '../testing/tus-client.ts'

const MB = 1024 ** 2
await testDatabase()
const SETTINGS = {
  IMPORT_ALLOWED_HOSTS: '127.0.0.1',
  MAX_UPLOAD_BYTES: String(64 * MB),
  STORAGE_RESERVE_BYTES: '0',
  UPLOAD_STALL_SEC: '30',
  MAX_UNFINISHED_UPLOADS: '3',
}
provide(SETTINGS)
const baseUrl = await startHttpServer()
const source = await startFileServer()
const forever = new AbortController().signal
const lines = logLines()

let caller: Awaited<ReturnType<typeof uploadCaller>>
beforeAll(() => startQueue(JOBS))
afterAll(stopQueue)
beforeEach(async () => {
  provide(SETTINGS)
  caller = await uploadCaller(baseUrl)
})

const post = (input: unknown, headers: Record<string, string> = {}) =>
  caller.call('POST', '/v1/video/import', { body: JSON.stringify(input), headers })
async function create(input: Record<string, unknown> = {}): Promise<string> {
  const answer = await post({ url: `${source.url}/clips/clip.mp4?signature=s3cret`, ...input })
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.body}`)
  return JSON.parse(answer.body).data.uploadId
}
const stateOf = (uploadId: string) => caller.get(uploadId)
const importRow = (id: string) => db().uploadImport.findUnique({ where: { id } })

/** Runs an import as its jobs would, without the time between them, until it ends. Returns its state and the number of runs. */
async function runToEnd(uploadId: string, resolve?: Resolve) {
  for (let runs = 1; ; runs++) {
    await runImport(uploadId, forever, resolve)
    const state = await stateOf(uploadId)
    if (!['waiting', 'uploading'].includes(state.status)) return { ...state, runs }
    if (runs > 20) throw new Error('The import does not end.')
  }
}

/** Checks that the import became a video with these bytes, and that nothing else is left of it. */
async function expectVideo(uploadId: string, file: Uint8Array) {
  const { status, bytesReceived, videoId, failureCode } = await stateOf(uploadId)
  expect([status, failureCode, bytesReceived]).toEqual(['completed', null, file.length])
  const { sourceKey } = await db().video.findUniqueOrThrow({ where: { id: videoId } })
  expect(await sha256(storage().read(sourceKey))).toBe(await sha256([file]))
  expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, videos: 1, originalBytes: file.length })
  expect(await importRow(uploadId)).toBeNull()
  return videoId as string
}

/** Checks that nothing is left of an import that ended without a video. */
async function expectNothingLeft(uploadId: string) {
  expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, videos: 0, totalBytes: 0 })
  expect(await importRow(uploadId)).toBeNull()
  expect([existsSync(uploadPath(uploadId)), existsSync(`${uploadPath(uploadId)}.json`)]).toEqual([false, false])
  expect(await db().video.count({ where: { accountId: caller.ctx.accountId } })).toBe(0)
}
const events = async (type: string) =>
  (await db().webhookEvent.findMany({ where: { accountId: caller.ctx.accountId, type } })).map(({ payload }) => JSON.parse(payload).data)

describe('POST /v1/video/import', () => {
  it('202 with the upload that waits; its URL is stored sealed, and its job is enqueued', async () => {
    const answer = await post({ url: `${source.url}/clip.mp4?signature=s3cret#t=1`, title: 'Clip', maxBytes: 1_000 })
    const { success, data } = JSON.parse(answer.body)
    expect([answer.status, success, data.status, data.maxBytes]).toEqual([202, true, 'waiting', 1_000])
    expect(answer.headers.location).toBe(`/v1/upload/${data.uploadId}`)
    expect(await stateOf(data.uploadId)).toEqual(data)
    const stored = await importRow(data.uploadId)
    expect(Buffer.from(stored?.url ?? '').includes('s3cret')).toBe(false)
    expect(await db().directUpload.findUnique({ where: { id: data.uploadId } })).toMatchObject({ importedFrom: `${source.url}/clip.mp4` })
    const sql = `SELECT data->>'uploadId' AS id, group_id AS "group" FROM pgboss.job WHERE name = 'upload.import'`
    expect(await query('test-jobs', sql, [])).toContainEqual({ id: data.uploadId, group: caller.ctx.accountId })
  })

  it.each<[string, unknown]>([
    ['none', undefined],
    ['a number', 7],
    ['a path', '/clip.mp4'],
    ['a name', 'clip.mp4'],
    ['another scheme', 'ftp://example.com/clip.mp4'],
    ['a file', 'file:///etc/passwd'],
    ['a script', 'javascript:alert(1)'],
    ['data', 'data:video/mp4;base64,AAAA'],
    ['http', 'http://example.com/clip.mp4'],
    ['credentials', 'https://user:s3cret@example.com/clip.mp4'],
    ['a private address', 'https://10.0.0.1/clip.mp4'],
    ['the metadata service', 'https://169.254.169.254/latest/meta-data/'],
    ['this machine', 'https://localhost/clip.mp4'],
    ['an IPv6 form of a private address', 'https://[::ffff:192.168.0.1]/clip.mp4'],
    ['a decimal address', 'https://2130706434/clip.mp4'],
    ['too long a URL', `https://example.com/${'x'.repeat(8_192)}`],
  ])('400 for %s, without the URL in the response', async (_name, url) => {
    const answer = await post({ url })
    expect(refusalOf(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(JSON.parse(answer.body).error.details).toContainEqual({ in: 'body', path: 'url', message: expect.any(String) })
    expect(answer.body).not.toContain('s3cret')
    expect(await db().directUpload.count({ where: { accountId: caller.ctx.accountId } })).toBe(0)
  })

  it('400 for the fields of a client that sends the file, and for more bytes than the service accepts', async () => {
    const url = `${source.url}/clip.mp4`
    for (const more of [{ allowedOrigin: 'https://example.com' }, { expiresInSec: 600 }, { maxBytes: 65 * MB }, { titel: 'x' }])
      expect(refusalOf(await post({ url, ...more }))).toEqual([400, 'INVALID_REQUEST'])
  })

  it('401, 403, 405 and 415 as for any operation', async () => {
    const path = '/v1/video/import'
    const { value } = await makeKey(caller.ctx, { scopes: ['video:read'] })
    expect(refusalOf(await caller.call('POST', path, { headers: { 'x-service-key': 'x' } }))).toEqual([401, 'INVALID_API_KEY'])
    expect(refusalOf(await caller.call('POST', path, { headers: { 'x-service-key': value } }))).toEqual([403, 'INSUFFICIENT_SCOPE'])
    expect(refusalOf(await caller.call('PUT', path))).toEqual([405, 'METHOD_NOT_ALLOWED'])
    const text = { 'content-type': 'text/plain' }
    expect(refusalOf(await caller.call('POST', path, { body: '{}', headers: text }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  it('409 for an external id that a video has', async () => {
    source.serve(whole(likeVideo(9_000)))
    await runToEnd(await create({ externalId: 'lesson-1' }))
    expect(refusalOf(await post({ url: `${source.url}/b.mp4`, externalId: 'lesson-1' }))).toEqual([409, 'EXTERNAL_ID_IN_USE'])
  })

  it('429 at the limit of unfinished uploads', async () => {
    for (let made = 0; made < 3; made++) await create()
    const refused = await post({ url: `${source.url}/clip.mp4` })
    expect([refusalOf(refused), refused.headers['retry-after']]).toEqual([[429, 'TOO_MANY_ATTEMPTS'], '60'])
  })

  it('507 when the installation is full', async () => {
    await create()
    provide({ TOTAL_VIDEOS: '1' })
    expect(refusalOf(await post({ url: `${source.url}/clip.mp4` }))).toEqual([507, 'STORAGE_FULL'])
    provide({ TOTAL_VIDEOS: undefined })
  })

  it('returns the same import for the same Idempotency-Key and body; 409 for another URL', async () => {
    const headers = { 'idempotency-key': 'one' }
    const input = { url: `${source.url}/clip.mp4?a=1` }
    const answers = await Promise.all([post(input, headers), post(input, headers), post(input, headers)])
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(new Set(answers.map(({ body }) => JSON.parse(body).data.uploadId)).size).toBe(1)
    expect(answers.filter((answer) => answer.headers['idempotent-replayed'] === 'true')).toHaveLength(2)
    expect(refusalOf(await post({ url: `${source.url}/clip.mp4?a=2` }, headers))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(refusalOf(await caller.post({}, headers))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await db().uploadImport.count()).toBeGreaterThan(0)
  })
})

describe('an import becomes a video as an upload does', () => {
  it('in ranges, with its fields, its events and its audit entry, which names key, host and path', async () => {
    const file = likeVideo(37 * MB)
    source.serve(inRanges(file))
    const fields = { description: 'At dawn', metadata: { course: '12' }, externalId: 'lesson-42' }
    const uploadId = await create(fields)
    expect((await runToEnd(uploadId)).runs).toBe(1)
    const videoId = await expectVideo(uploadId, file)
    const end = 16 * MB
    expect(source.asked.map(({ range }) => range)).toEqual([
      `bytes=0-${end - 1}`,
      `bytes=${end}-${2 * end - 1}`,
      `bytes=${2 * end}-${3 * end - 1}`,
    ])
    expect(source.asked.map(({ headers }) => headers['if-range'])).toEqual([undefined, '"one"', '"one"'])
    expect(source.asked[0]).toMatchObject({ path: '/clips/clip.mp4?signature=s3cret', headers: { 'accept-encoding': 'identity' } })
    const video = await db().video.findUniqueOrThrow({ where: { id: videoId } })
    expect(video).toMatchObject({
      title: 'clip',
      sourceName: 'clip.mp4',
      status: 'PENDING',
      description: 'At dawn',
      externalId: 'lesson-42',
    })
    expect(await events('video.created')).toMatchObject([{ videoId, externalId: 'lesson-42' }])
    const [entry] = await db().auditEntry.findMany({ where: { accountId: caller.ctx.accountId, action: 'video.upload' } })
    expect(entry).toMatchObject({ actor: caller.keyId, after: { importedFrom: `${source.url}/clips/clip.mp4` } })
    expect(JSON.stringify(entry?.after)).not.toContain('s3cret')
  })

  it('from a server without ranges, with a length and without', async () => {
    const file = likeVideo(3 * MB)
    source.serve(whole(file))
    const first = await create()
    await runToEnd(first)
    await expectVideo(first, file)
    caller = await uploadCaller(baseUrl)
    source.serve((_req, res) => void res.writeHead(200).end(file))
    const second = await create()
    await runToEnd(second)
    await expectVideo(second, file)
  })

  it('from a server that states no size in its ranges', async () => {
    const file = likeVideo(2 * MB)
    source.serve((req, res) => {
      if (req.headers.range === undefined) return whole(file)(req, res, 0)
      res.writeHead(206, { 'Content-Range': `bytes 0-${file.length - 1}/*` }).end(file)
    })
    const uploadId = await create()
    await runToEnd(uploadId)
    await expectVideo(uploadId, file)
  })

  it('through 5 redirects; the target is used for the rest of the run, and the URL again once it is refused', async () => {
    const file = likeVideo(33 * MB)
    source.serve((req, res, nth) => {
      const { pathname } = new URL(req.url ?? '', source.url)
      const hop = Number(pathname.slice(5))
      if (pathname.startsWith('/hop/') && hop < 5) return res.writeHead(302, { Location: `/hop/${hop + 1}` }).end()
      // Signed for one request, as it were.
      if (nth === 7) return res.writeHead(403).end()
      inRanges(file)(req, res, nth)
    })
    const uploadId = await create({ url: `${source.url}/hop/0` })
    await runToEnd(uploadId)
    await expectVideo(uploadId, file)
    expect(source.asked.map(({ path }) => path)).toEqual([
      ...['/hop/0', '/hop/1', '/hop/2', '/hop/3', '/hop/4', '/hop/5'],
      ...['/hop/5', '/hop/0', '/hop/1', '/hop/2', '/hop/3', '/hop/4', '/hop/5', '/hop/5'],
    ])
  })
})

describe('interruptions', () => {
  it('goes on with the bytes it has when a connection is cut', async () => {
    const file = likeVideo(5 * MB)
    source.serve((req, res, nth) => {
      if (nth > 1) return inRanges(file)(req, res, nth)
      res.writeHead(206, { ETag: '"one"', 'Content-Range': `bytes 0-${file.length - 1}/${file.length}`, 'Content-Length': file.length })
      res.write(file.subarray(0, 2 * MB), () => setImmediate(() => res.destroy()))
    })
    const uploadId = await create()
    await runImport(uploadId, forever)
    const { status, bytesReceived } = await stateOf(uploadId)
    expect([status, bytesReceived > 0]).toEqual(['uploading', true])
    await runImport(uploadId, forever)
    await expectVideo(uploadId, file)
    expect(source.asked.at(-1)?.range).toMatch(`bytes=${bytesReceived}-`)
  })

  it('begins again where a server has no ranges', async () => {
    const file = likeVideo(5 * MB)
    source.serve((req, res, nth) => {
      if (nth > 1) return whole(file)(req, res, nth)
      res.writeHead(200, { 'Content-Length': file.length })
      res.write(file.subarray(0, 2 * MB), () => setImmediate(() => res.destroy()))
    })
    const uploadId = await create()
    expect((await runToEnd(uploadId)).runs).toBe(2)
    await expectVideo(uploadId, file)
  })

  it('mixes no bytes of two files, when the second is cut before the place where the first was', async () => {
    const [before, after] = [likeVideo(5 * MB), likeVideo(5 * MB)]
    const cut = (file: Uint8Array, bytes: number, res: ServerResponse, etag: string) => {
      res.writeHead(200, { ETag: etag, 'Content-Length': file.length })
      res.write(file.subarray(0, bytes), () => setImmediate(() => res.destroy()))
    }
    source.serve((req, res, nth) => {
      if (nth === 1) return cut(before, 4 * MB, res, '"one"')
      if (nth === 2) return cut(after, 2 * MB, res, '"two"')
      inRanges(after, '"two"')(req, res, nth)
    })
    const uploadId = await create()
    await runToEnd(uploadId)
    await expectVideo(uploadId, after)
  })

  it.each([
    ['that honours If-Range', inRanges],
    [
      'that ignores If-Range',
      (file: Uint8Array, etag: string) =>
        (req: Parameters<ReturnType<typeof inRanges>>[0], res: Parameters<ReturnType<typeof inRanges>>[1]) => {
          delete req.headers['if-range']
          inRanges(file, etag)(req, res, 0)
        },
    ],
  ])('receives the new file when it changes between ranges, from a server %s', async (_name, serving) => {
    const [before, after] = [likeVideo(20 * MB), likeVideo(21 * MB)]
    source.serve((req, res, nth) => (nth === 1 ? serving(before, '"one"') : serving(after, '"two"'))(req, res, nth))
    const uploadId = await create()
    await runToEnd(uploadId)
    await expectVideo(uploadId, after)
  })

  it('an error of a server, then the file', async () => {
    const file = likeVideo(9_000)
    source.serve((req, res, nth) => (nth <= 3 ? res.writeHead([503, 429, 500][nth - 1] as number).end() : inRanges(file)(req, res, nth)))
    const uploadId = await create()
    expect((await runToEnd(uploadId)).runs).toBe(4)
    await expectVideo(uploadId, file)
  })

  it('enqueues the next run after a delay that doubles', async () => {
    source.serve((_req, res) => res.writeHead(503).end())
    const uploadId = await create()
    for (let run = 0; run < 3; run++) await runImport(uploadId, forever)
    const sql = `SELECT round(extract(epoch FROM start_after - created_on))::int AS after FROM pgboss.job
      WHERE name = 'upload.import' AND data->>'uploadId' = $1 ORDER BY created_on`
    expect(await query('test-delays', sql, [uploadId])).toEqual([0, 5, 10, 20].map((after) => ({ after })))
    await caller.cancel(uploadId)
  })

  it('waits while the account is suspended, without counting the runs', async () => {
    const file = likeVideo(9_000)
    source.serve(inRanges(file))
    const uploadId = await create()
    const suspend = (suspendedAt: Date | null) => db().account.update({ where: { id: caller.ctx.accountId }, data: { suspendedAt } })
    await suspend(new Date())
    await runImport(uploadId, forever)
    await suspend(null)
    expect([source.asked, (await importRow(uploadId))?.attempts]).toEqual([[], 0])
    await runImport(uploadId, forever)
    await expectVideo(uploadId, file)
  })

  it('a second run of the same import takes over, and the first ends without an effect', async () => {
    const file = likeVideo(2 * MB)
    let hold = () => {}
    const reached = new Promise<void>((resolve) => {
      source.serve((req, res, nth) => {
        if (nth > 1) return inRanges(file)(req, res, nth)
        res.writeHead(206, { ETag: '"one"', 'Content-Range': `bytes 0-${file.length - 1}/${file.length}` })
        res.write(file.subarray(0, MB), () => resolve())
        hold = () => void res.end()
      })
    })
    const uploadId = await create()
    const first = runImport(uploadId, forever)
    await reached
    await runImport(uploadId, forever)
    await first
    hold()
    await expectVideo(uploadId, file)
  })

  it('an interrupted run rejects, and keeps what it received', async () => {
    const file = likeVideo(2 * MB)
    const stopping = new AbortController()
    const reached = new Promise<void>((resolve) => {
      source.serve((req, res, nth) => {
        if (nth > 1) return inRanges(file)(req, res, nth)
        res.writeHead(206, { ETag: '"one"', 'Content-Range': `bytes 0-${file.length - 1}/${file.length}` })
        res.write(file.subarray(0, MB), () => resolve())
      })
    })
    const uploadId = await create()
    const run = runImport(uploadId, stopping.signal)
    const rejected = expect(run).rejects.toThrow('The worker is stopping.')
    await reached
    stopping.abort(new Error('The worker is stopping.'))
    await rejected
    expect((await stateOf(uploadId)).failureCode).toBeNull()
    await runImport(uploadId, forever)
    await expectVideo(uploadId, file)
  })
})

describe('failures', () => {
  const status = (code: number) => (_req: unknown, res: ServerResponse) => void res.writeHead(code).end('<html>')
  const html = Buffer.from(`<!doctype html>${'<p>Sign in</p>'.repeat(9_000)}`)

  it.each<[string, string, number, Parameters<typeof source.serve>[0]]>([
    ['404', 'NOT_FOUND', 1, status(404)],
    ['410', 'NOT_FOUND', 1, status(410)],
    ['401', 'FORBIDDEN', 1, status(401)],
    ['403', 'FORBIDDEN', 1, status(403)],
    ['400', 'UNEXPECTED_RESPONSE', 1, status(400)],
    ['204', 'UNEXPECTED_RESPONSE', 1, status(204)],
    ['5xx for long', 'SERVER_ERROR', 8, status(502)],
    ['a web page', 'NOT_A_VIDEO', 1, whole(html)],
    ['a small web page', 'NOT_A_VIDEO', 1, whole(Buffer.from('<html></html>'))],
    ['an empty file', 'EMPTY_FILE', 1, whole(Buffer.alloc(0))],
    ['an empty file without a length', 'EMPTY_FILE', 1, (_req, res) => res.writeHead(200, { 'Transfer-Encoding': 'chunked' }).end()],
    ['an empty file of a server with ranges', 'EMPTY_FILE', 1, (_req, res) => res.writeHead(416, { 'Content-Range': 'bytes */0' }).end()],
    ['a loop of redirects', 'TOO_MANY_REDIRECTS', 1, (_req, res) => res.writeHead(307, { Location: '/loop' }).end()],
    ['a web page, after its first bytes', 'NOT_A_VIDEO', 1, (_req, res) => res.writeHead(200, { 'Content-Length': 2 * MB }).write(html)],
    ['a redirect without a target', 'UNEXPECTED_RESPONSE', 1, (_req, res) => res.writeHead(302).end()],
    ['a redirect to a private address', 'ADDRESS_REFUSED', 1, (_req, res) => res.writeHead(302, { Location: 'https://10.0.0.1/' }).end()],
    ['a redirect to http', 'ADDRESS_REFUSED', 1, (_req, res) => res.writeHead(302, { Location: 'http://example.com/' }).end()],
    ['a redirect to a file', 'ADDRESS_REFUSED', 1, (_req, res) => res.writeHead(302, { Location: 'file:///etc/passwd' }).end()],
    ['a redirect with credentials', 'ADDRESS_REFUSED', 1, (_req, res) => res.writeHead(302, { Location: 'http://a:b@127.0.0.1/' }).end()],
    ['more bytes than announced for the import', 'TOO_LARGE', 1, whole(likeVideo(3 * MB))],
    ['more bytes, before the first', 'TOO_LARGE', 1, (_req, res) => res.writeHead(200, { 'Content-Length': 3 * MB }).flushHeaders()],
    [
      'ranges without a byte',
      'TRUNCATED',
      8,
      (_req, res) => res.writeHead(206, { 'Content-Range': 'bytes 0-999/1000', 'Transfer-Encoding': 'chunked' }).end(),
    ],
    ['more bytes, without a length', 'TOO_LARGE', 1, (_req, res) => res.writeHead(200).end(likeVideo(3 * MB))],
    [
      'a compressed bomb',
      'ENCODED',
      1,
      (_req, res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 * MB))),
    ],
    [
      'a range that was not asked for',
      'UNEXPECTED_RESPONSE',
      1,
      (_req, res) => res.writeHead(206, { 'Content-Range': 'bytes 5-9/10' }).end('12345'),
    ],
    ['what is not HTTP', 'UNEXPECTED_RESPONSE', 1, (req) => req.socket.end('no HTTP at all\r\n\r\n')],
    ['a connection that closes', 'CONNECTION_FAILED', 8, (req) => req.socket.destroy()],
  ])('%s: %s', async (_name, failureCode, runs, answer) => {
    source.serve(answer)
    const uploadId = await create({ maxBytes: 2 * MB, externalId: 'lesson-9' })
    const state = await runToEnd(uploadId)
    expect(state).toMatchObject({ status: 'failed', failureCode, runs, videoId: null })
    await expectNothingLeft(uploadId)
    if (failureCode === 'TOO_MANY_REDIRECTS') expect(source.asked).toHaveLength(6)
    const sent = await events('upload.failed')
    expect(sent).toEqual([{ uploadId, code: failureCode, reason: state.failureReason, externalId: 'lesson-9' }])
    expect(JSON.stringify([state, sent])).not.toContain('s3cret')
  })

  it('10 GB announced, 1 MB sent: TRUNCATED, after which nothing is reserved', async () => {
    provide({ MAX_UPLOAD_BYTES: String(20 * 1024 ** 3) })
    const [part, size] = [likeVideo(MB), 10 * 1024 ** 3]
    source.serve((req, res) => {
      const [start] = rangeOf(req, size)
      const end = Math.min(size, start + 16 * MB)
      res.writeHead(206, { ETag: '"one"', 'Content-Range': `bytes ${start}-${end - 1}/${size}`, 'Content-Length': end - start })
      res.flushHeaders()
      res.write(part.subarray(Math.min(start, part.length)))
      res.socket?.end()
    })
    const uploadId = await create()
    expect(await runToEnd(uploadId)).toMatchObject({ status: 'failed', failureCode: 'TRUNCATED' })
    await expectNothingLeft(uploadId)
  })

  it('a server that sends nothing, and one that sends too slowly: TIMED_OUT', async () => {
    provide({ UPLOAD_STALL_SEC: '1', UPLOAD_MIN_BYTES_PER_SEC: '1000' })
    source.serve(() => {})
    const silent = await create()
    await runImport(silent, forever)
    expect(await query('test-attempts', 'SELECT attempts FROM upload_import WHERE id = $1', [silent])).toEqual([{ attempts: 1 }])
    await db().uploadImport.update({ where: { id: silent }, data: { attempts: 7 } })
    await runImport(silent, forever)
    expect(await stateOf(silent)).toMatchObject({ status: 'failed', failureCode: 'TIMED_OUT' })
    const timers: NodeJS.Timeout[] = []
    source.serve((_req, res) => {
      res.writeHead(200, { 'Content-Length': 9_000 })
      timers.push(setInterval(() => res.write('x'), 100))
    })
    const slow = await create()
    await db().uploadImport.update({ where: { id: slow }, data: { attempts: 7 } })
    await runImport(slow, forever)
    for (const timer of timers) clearInterval(timer)
    expect(await stateOf(slow)).toMatchObject({ status: 'failed', failureCode: 'TIMED_OUT' })
    await expectNothingLeft(slow)
  })

  it('more bytes than the account may store: LIMIT_REACHED, with the reason', async () => {
    provide({ ACCOUNT_UNFINISHED_BYTES: String(MB) })
    source.serve(whole(likeVideo(2 * MB)))
    const uploadId = await create()
    const { failureCode, failureReason, runs } = await runToEnd(uploadId)
    expect([failureCode, runs, failureReason]).toEqual(['LIMIT_REACHED', 8, expect.stringMatching(/unfinished uploads of this account/)])
    await expectNothingLeft(uploadId)
    provide({ ACCOUNT_UNFINISHED_BYTES: undefined })
  })

  const refusing = (code: string): Resolve => {
    return (_host, _options, done) => done(Object.assign(new Error(code), { code }), [])
  }
  it.each<[string, string, number, Resolve]>([
    ['a name that resolves to a private address', 'ADDRESS_REFUSED', 1, (_h, _o, done) => done(null, [{ address: '10.1.2.3', family: 4 }])],
    [
      'a name with a public and a private address',
      'ADDRESS_REFUSED',
      1,
      (_h, _o, done) =>
        done(null, [
          { address: '93.184.216.34', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ]),
    ],
    ['a name that does not exist', 'NAME_NOT_RESOLVED', 1, refusing('ENOTFOUND')],
    ['a name server that does not answer', 'NAME_NOT_RESOLVED', 8, refusing('EAI_AGAIN')],
  ])('%s: %s', async (_name, failureCode, runs, resolve) => {
    const uploadId = await create({ url: 'https://clips.example.com/clip.mp4' })
    expect(await runToEnd(uploadId, resolve)).toMatchObject({ status: 'failed', failureCode, runs })
    await expectNothingLeft(uploadId)
  })

  const certificate = makeCertificate()
  it.skipIf(!certificate)('a certificate of an unknown authority: CERTIFICATE', async () => {
    const server = createTlsServer(certificate ?? {}, (_req, res) => res.end(likeVideo(9_000)))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    atFileEnd(() => void server.close())
    const uploadId = await create({ url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/clip.mp4` })
    expect(await runToEnd(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CERTIFICATE', runs: 1 })
    await expectNothingLeft(uploadId)
  })
})

it('an import that is not complete when it expires ends so, and its jobs have no effect', async () => {
  source.serve((_req, res) => res.writeHead(503).end())
  const uploadId = await create()
  await runImport(uploadId, forever)
  await db().directUpload.update({ where: { id: uploadId }, data: { expiresAt: new Date(Date.now() - 1_000) } })
  await runImport(uploadId, forever)
  await expireDirectUploads(forever)
  expect(await stateOf(uploadId)).toMatchObject({ status: 'expired', failureCode: 'EXPIRED' })
  await expectNothingLeft(uploadId)
  source.serve(whole(likeVideo(9_000)))
  await runImport(uploadId, forever)
  expect(source.asked).toEqual([])
})

it('the URL of an import can be read after the rotation of the master key', async () => {
  const file = likeVideo(9_000)
  source.serve(inRanges(file))
  const uploadId = await create()
  const before = await importRow(uploadId)
  provide({ MASTER_KEYS: `next:${'k'.repeat(44)}` })
  renew('masterKeys')
  expect((await reseal(SEALED_IMPORT_URLS, forever)).sealed).toBeGreaterThan(0)
  expect((await importRow(uploadId))?.url).not.toEqual(before?.url)
  await runToEnd(uploadId)
  await expectVideo(uploadId, file)
})

it('the query of a URL is in no line of the log', () => {
  expect(lines.filter(({ msg }) => msg === 'an import failed').length).toBeGreaterThan(10)
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'an import is tried again', source: expect.stringMatching(/clip\.mp4$/) }))
  expect(JSON.stringify(lines)).not.toContain('s3cret')
})

describe('cancelling', () => {
  it('before the first run: nothing is requested', async () => {
    source.serve(whole(likeVideo(9_000)))
    const uploadId = await create()
    expect((await caller.cancel(uploadId)).status).toBe(200)
    await runImport(uploadId, forever)
    expect(source.asked).toEqual([])
    expect(await stateOf(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED' })
    await expectNothingLeft(uploadId)
  })

  it('in the middle: the request ends, and nothing is left', async () => {
    let closed = () => {}
    const ended = new Promise<void>((resolve) => {
      closed = resolve
    })
    const reached = new Promise<void>((resolve) => {
      source.serve((_req, res) => {
        res.writeHead(200, { 'Content-Length': 9 * MB }).write(likeVideo(MB), () => resolve())
        res.on('close', closed)
      })
    })
    const uploadId = await create()
    const run = runImport(uploadId, forever)
    await reached
    expect((await caller.cancel(uploadId)).status).toBe(200)
    await Promise.all([run, ended])
    expect(await stateOf(uploadId)).toMatchObject({ status: 'failed', failureCode: 'CANCELLED' })
    await expectNothingLeft(uploadId)
    expect(await events('upload.failed')).toMatchObject([{ uploadId, code: 'CANCELLED' }])
  })

  it('409 once it is a video', async () => {
    source.serve(whole(likeVideo(9_000)))
    const uploadId = await create()
    await runToEnd(uploadId)
    expect(refusalOf(await caller.cancel(uploadId))).toEqual([409, 'UPLOAD_CONFLICT'])
  })
})
