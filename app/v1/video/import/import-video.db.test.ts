import { describe, expect, it } from 'vitest'
import { db, query } from '../../../../server/platform/database/database.ts'
import { refusalOf } from '../../../../server/testing/direct-upload.ts'
import { startImports } from '../../../../server/testing/imports.ts'
import { makeKey } from '../../../../server/testing/make.ts'
import { whole } from '../../../../server/testing/services/file-server.ts'
import { provide } from '../../../../server/testing/settings.ts'
import { likeVideo } from '../../../../server/testing/tus-client.ts'

const MB = 1024 ** 2
const { source, caller, post, create, stateOf, importRow, runToEnd } = await startImports()

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
    expect(await query('test-jobs', sql, [])).toContainEqual({ id: data.uploadId, group: caller().ctx.accountId })
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
    expect(await db().directUpload.count({ where: { accountId: caller().ctx.accountId } })).toBe(0)
  })

  it('400 for the fields of a client that sends the file, and for more bytes than the service accepts', async () => {
    const url = `${source.url}/clip.mp4`
    for (const more of [{ allowedOrigin: 'https://example.com' }, { expiresInSec: 600 }, { maxBytes: 65 * MB }, { titel: 'x' }])
      expect(refusalOf(await post({ url, ...more }))).toEqual([400, 'INVALID_REQUEST'])
  })

  it('401, 403, 405 and 415 as for any operation', async () => {
    const path = '/v1/video/import'
    const { value } = await makeKey(caller().ctx, { scopes: ['video:read'] })
    expect(refusalOf(await caller().call('POST', path, { headers: { 'x-service-key': 'x' } }))).toEqual([401, 'INVALID_API_KEY'])
    expect(refusalOf(await caller().call('POST', path, { headers: { 'x-service-key': value } }))).toEqual([403, 'INSUFFICIENT_SCOPE'])
    expect(refusalOf(await caller().call('PUT', path))).toEqual([405, 'METHOD_NOT_ALLOWED'])
    const text = { 'content-type': 'text/plain' }
    expect(refusalOf(await caller().call('POST', path, { body: '{}', headers: text }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
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
    provide({ STORAGE_RESERVE_BYTES: String(10 ** 15) })
    expect(refusalOf(await post({ url: `${source.url}/clip.mp4` }))).toEqual([507, 'STORAGE_FULL'])
    provide({ STORAGE_RESERVE_BYTES: '0' })
  })

  it('returns the same import for the same Idempotency-Key and body; 409 for another URL', async () => {
    const headers = { 'idempotency-key': 'one' }
    const input = { url: `${source.url}/clip.mp4?a=1` }
    const answers = await Promise.all([post(input, headers), post(input, headers), post(input, headers)])
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202])
    expect(new Set(answers.map(({ body }) => JSON.parse(body).data.uploadId)).size).toBe(1)
    expect(answers.filter((answer) => answer.headers['idempotent-replayed'] === 'true')).toHaveLength(2)
    expect(refusalOf(await post({ url: `${source.url}/clip.mp4?a=2` }, headers))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(refusalOf(await caller().post({}, headers))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await db().uploadImport.count()).toBeGreaterThan(0)
    const first = JSON.parse(answers[0]?.body as string).data.uploadId
    await caller().cancel(first)
    const again = JSON.parse((await post(input, headers)).body).data
    expect(again).toMatchObject({ status: 'waiting', failureCode: null })
    expect(again.uploadId).not.toBe(first)
  })
})
