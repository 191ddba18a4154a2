import type { ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { db, query } from '../../../platform/database/database.ts'
import type { Resolve } from '../../../platform/network/look-up-name.ts'
import { startImports } from '../../../testing/imports.ts'
import { atFileEnd } from '../../../testing/media/file-end.ts'
import { makeCertificate } from '../../../testing/services/certificate.ts'
import { rangeOf, whole } from '../../../testing/services/file-server.ts'
import { provide } from '../../../testing/settings.ts'
import { likeVideo } from '../../../testing/tus-client.ts'
import { runImport } from './import-run.ts'

const MB = 1024 ** 2
const { source, lines, caller, create, stateOf, runToEnd, expectNothingLeft, events } = await startImports()
const forever = new AbortController().signal

describe('failures', () => {
  const status = (code: number) => (_req: unknown, res: ServerResponse) => void res.writeHead(code).end('<html>')
  const html = Buffer.from(`<!doctype html>${'<p>Sign in</p>'.repeat(9_000)}`)

  it.each<[string, string, number, Parameters<typeof source.serve>[0]]>([
    ['404', 'NOT_FOUND', 1, status(404)],
    ['410', 'NOT_FOUND', 1, status(410)],
    ['401', 'ACCESS_DENIED', 1, status(401)],
    ['403', 'ACCESS_DENIED', 1, status(403)],
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
    provide({ REELGATE_TEST_UPLOAD_STALL_SEC: '1' })
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
    provide({ ACCOUNT_STORAGE_BYTES: String(2 * MB) })
    source.serve(whole(likeVideo(2 * MB)))
    const uploadId = await create()
    const { failureCode, failureReason, runs } = await runToEnd(uploadId)
    expect([failureCode, runs, failureReason]).toEqual(['LIMIT_REACHED', 8, expect.stringMatching(/unfinished uploads of this account/)])
    await expectNothingLeft(uploadId)
    provide({ ACCOUNT_STORAGE_BYTES: undefined })
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

it('while retrying an import, its owner sees the last failure and when the next attempt begins', async () => {
  source.serve((_req, res, nth) => (nth < 3 ? res.writeHead(503).end() : whole(likeVideo(MB))(_req, res, nth)))
  const uploadId = await create()
  expect((await stateOf(uploadId)).retry).toBeNull()
  await runImport(uploadId, forever)
  const first = await stateOf(uploadId)
  const failure = {
    failureCode: 'SERVER_ERROR',
    failureReason: expect.stringMatching(/^The server responded with an error/),
    maxAttempts: 8,
  }
  expect(first).toMatchObject({ status: 'waiting', failureCode: null, retry: { ...failure, attempts: 1 } })
  const waitOf = ({ failedAt, nextAttemptAt }: { failedAt: string; nextAttemptAt: string }) =>
    Date.parse(nextAttemptAt) - Date.parse(failedAt)
  expect(waitOf(first.retry)).toBe(5_000)
  await runImport(uploadId, forever)
  const second = await stateOf(uploadId)
  expect([second.retry, waitOf(second.retry)]).toEqual([expect.objectContaining({ ...failure, attempts: 2 }), 10_000])
  const listed = await caller().call('GET', '/v1/upload')
  expect(JSON.parse(listed.body).data).toMatchObject([{ uploadId, retry: second.retry }])
  // The next attempt has begun, and has not ended.
  let respond = () => {}
  const isAsked = new Promise<void>((resolve) =>
    source.serve((req, res, nth) => {
      respond = () => void whole(likeVideo(MB))(req, res, nth)
      resolve()
    }),
  )
  const running = runImport(uploadId, forever)
  await isAsked
  expect((await stateOf(uploadId)).retry).toEqual({ ...second.retry, nextAttemptAt: null })
  respond()
  await running
  expect(await stateOf(uploadId)).toMatchObject({ status: 'completed', retry: null })
})

it('the log names an import by upload, host, path and code, and never by the query of its URL', async () => {
  source.serve((_req, res, nth) => res.writeHead(nth === 1 ? 503 : 404).end())
  const upload = await create()
  await runToEnd(upload)
  const about = { upload, source: `${source.url}/clips/clip.mp4` }
  expect(lines).toContainEqual({ level: 'info', time: expect.anything(), ...about, code: 'SERVER_ERROR', msg: 'retrying an import' })
  expect(lines).toContainEqual({ level: 'info', time: expect.anything(), ...about, code: 'NOT_FOUND', msg: 'an import failed' })
  expect(JSON.stringify(lines)).not.toContain('s3cret')
})
