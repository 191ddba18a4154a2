import type { OutgoingHttpHeaders } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { restoreVideo } from '../../../server/modules/videos/remove.ts'
import { db } from '../../../server/platform/database/database.ts'
import { send } from '../../../server/testing/client.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makePlayable, makeVideo } from '../../../server/testing/make.ts'
import { said, VIDEO_FIELDS, VTT, videoCalls } from '../../../server/testing/video-calls.ts'

await testDatabase()
const baseUrl = await startHttpServer()

let owner: AccountCtx
let key: { id: string; value: string }
beforeAll(async () => {
  owner = await makeAccount()
  key = await makeKey(owner, { scopes: ['video:read', 'video:write'] })
})

const call = videoCalls(baseUrl, () => key.value)

const JSON_BODY = { 'content-type': 'application/json' }
const patch = (videoId: string, changes: unknown, headers: OutgoingHttpHeaders = {}) =>
  call(videoId, {
    method: 'PATCH',
    headers: { ...JSON_BODY, ...headers },
    body: typeof changes === 'string' ? changes : JSON.stringify(changes),
  })
const expanded = async (videoId: string, expand: string) => JSON.parse((await call(`${videoId}?expand=${expand}`)).body).data

/** Returns a validator as Apache sends it with a response that it compressed. */
const gzipped = (etag: string) => etag.replace(/"$/, '-gzip"')

const ABSENT = 'vid_0000000000000000000000'

const WRITES = [
  ['PATCH', '', JSON_BODY, '{}'],
  ['DELETE', '', {}, undefined],
  ['POST', '/restore', {}, undefined],
  ['PUT', '/captions/en', { 'content-type': 'text/vtt' }, VTT],
  ['DELETE', '/captions/en', {}, undefined],
  ['PUT', '/poster', { 'content-type': 'image/png' }, 'not read'],
] as const

describe.each(WRITES)('%s /v1/video/{videoId}%s', (method, path, headers, body) => {
  const request = (videoId: string, more: { key?: string } = {}) => call(videoId + path, { method, headers, body, ...more })

  test('401 without a key, and with a wrong one', async () => {
    expect(said(await request(ABSENT, { key: '' }))).toMatchObject({ status: 401, code: 'API_KEY_REQUIRED' })
    expect(said(await request(ABSENT, { key: 'ak_live_x' }))).toMatchObject({ status: 401, code: 'INVALID_API_KEY' })
  })

  test('403 with video:read alone: nothing changes', async () => {
    const videoId = await makeVideo(owner)
    const reader = await makeKey(owner)
    const before = await db().video.findUniqueOrThrow({ where: { id: videoId } })
    expect(said(await request(videoId, { key: reader.value }))).toEqual({
      status: 403,
      code: 'INSUFFICIENT_SCOPE',
      details: { needs: 'video:write' },
    })
    expect(await db().video.findUniqueOrThrow({ where: { id: videoId } })).toEqual(before)
  })

  test.each([ABSENT, 'x', '%00', 'vid_%ED%A0%80', '__proto__', `vid_${'a'.repeat(300)}`])('404 for %s', async (videoId) => {
    expect(said(await request(videoId))).toMatchObject({ status: 404, code: 'VIDEO_NOT_FOUND' })
  })

  test('404 for a video that was taken down, which the API does not show', async () => {
    const videoId = await makeVideo(owner, { takenDownAt: new Date(), takedownReason: 'A claim' })
    expect(said(await request(videoId))).toMatchObject({ status: 404, code: 'VIDEO_NOT_FOUND' })
  })

  test('a fixture of an error causes it, and another one is not found', async () => {
    const { value } = await makeKey(owner, { environment: 'TEST', scopes: ['video:write'] })
    expect(said(await request('vid_test_unavailable', { key: value }))).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' })
    expect(said(await request('vid_test_completed', { key: value }))).toMatchObject({ status: 404, code: 'VIDEO_NOT_FOUND' })
  })
})

test('405 names the methods', async () => {
  const answer = await call(`${ABSENT}/restore`, { method: 'GET' })
  expect([said(answer), answer.headers.allow]).toEqual([{ status: 405, code: 'METHOD_NOT_ALLOWED' }, 'POST, OPTIONS'])
  expect((await call(ABSENT, { method: 'OPTIONS' })).headers.allow).toBe('GET, PATCH, DELETE, HEAD, OPTIONS')
})

describe('PATCH', () => {
  test('changes what is given, keeps the rest, and is read at once', async () => {
    const videoId = await makeVideo(owner, { title: 'Draft', description: 'Old' })
    const answer = await patch(videoId, { title: ' Final ', metadata: { course: 'physics' }, externalId: 'lesson-1' })
    expect(said(answer)).toMatchObject({ status: 200, data: { id: videoId, title: 'Final', description: 'Old' } })
    expect(Object.keys(said(answer).data ?? {}).sort()).toEqual(VIDEO_FIELDS)
    const read = await call(videoId)
    expect([JSON.parse(read.body).data, read.headers.etag]).toEqual([said(answer).data, answer.headers.etag])
    expect(await expanded(videoId, 'metadata')).toMatchObject({ metadata: { course: 'physics' }, externalId: 'lesson-1' })
    expect(said(await patch(videoId, { description: null }))).toMatchObject({ data: { title: 'Final', description: null } })
    expect(said(await patch(videoId, {}))).toMatchObject({ status: 200, data: { title: 'Final' } })
  })

  test('merges metadata as Stripe does', async () => {
    const videoId = await makeVideo(owner)
    const merge = async (metadata: unknown) => {
      expect((await patch(videoId, { metadata })).status).toBe(200)
      return (await expanded(videoId, 'metadata')).metadata
    }
    expect(await merge({ a: '1', b: '2', constructor: 'c' })).toEqual({ a: '1', b: '2', constructor: 'c' })
    expect(await merge({ b: '3', d: '4' })).toEqual({ a: '1', b: '3', constructor: 'c', d: '4' })
    expect(await merge({ a: '', b: null, absent: null })).toEqual({ constructor: 'c', d: '4' })
    expect(await merge({})).toEqual({ constructor: 'c', d: '4' })
    expect(await merge(null)).toEqual({})
    expect(await merge({ e: '5' })).toEqual({ e: '5' })
    expect(await merge('')).toEqual({})
  })

  test('accepts 50 names of 40 characters with values of 500, and no 51st', async () => {
    const videoId = await makeVideo(owner)
    const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`${at}`.padEnd(40, 'n'), 'v'.repeat(500)]))
    expect((await patch(videoId, { metadata })).status).toBe(200)
    expect(said(await patch(videoId, { metadata: { more: '1' } }))).toMatchObject({
      status: 400,
      details: [{ in: 'body', path: 'metadata', message: 'Metadata can have at most 50 names.' }],
    })
    const [first = ''] = Object.keys(metadata)
    expect((await patch(videoId, { metadata: { more: '1', [first]: null } })).status).toBe(200)
    expect(Object.keys((await expanded(videoId, 'metadata')).metadata)).toHaveLength(50)
  })

  test.each<[string, unknown, string]>([
    ['no JSON', '{', ''],
    ['a number', '7', ''],
    ['a list', '[]', ''],
    ['null', 'null', ''],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]).toString('latin1'), ''],
    ['an unknown name', { titel: 'x' }, ''],
    ['a name twice', '{"title":"a","title":"b"}', ''],
    ['a name twice inside', '{"metadata":{"a":"1","\\u0061":"2"}}', ''],
    ['a prototype', '{"metadata":{"__proto__":"x"}}', ''],
    ['a title of null', { title: null }, 'title'],
    ['an empty title', { title: ' ' }, 'title'],
    ['a huge number as title', '{"title":1e400}', 'title'],
    ['a long title', { title: 'x'.repeat(201) }, 'title'],
    ['NUL in the title', { title: 'a\0b' }, 'title'],
    ['a lone surrogate', '{"title":"\\ud800"}', 'title'],
    ['an override of the direction', { title: 'a\u202eb' }, 'title'],
    ['an escape sequence in the description', { description: 'a\x1b[2J' }, 'description'],
    ['a long description', { description: 'x'.repeat(5_001) }, 'description'],
    ['a number as metadata', { metadata: 7 }, 'metadata'],
    ['a list as metadata', { metadata: ['a'] }, 'metadata'],
    ['a number as value', { metadata: { a: 1 } }, 'metadata.a'],
    ['a long value', { metadata: { a: 'x'.repeat(501) } }, 'metadata.a'],
    ['a lone surrogate as value', '{"metadata":{"a":"\\ud800"}}', 'metadata.a'],
    ['a long name', { metadata: { ['n'.repeat(41)]: '1' } }, `metadata.${'n'.repeat(41)}`],
    ['an empty name', { metadata: { '': '1' } }, 'metadata.'],
    ['brackets in a name', { metadata: { 'a[b]': '1' } }, 'metadata.a[b]'],
    ['NUL in a name', { metadata: { 'a\0': '1' } }, 'metadata.a\0'],
    ['a long external id', { externalId: 'x'.repeat(201) }, 'externalId'],
    ['a number as external id', { externalId: 5 }, 'externalId'],
    ['a line break in the external id', { externalId: 'a\nb' }, 'externalId'],
  ])('400 for %s', async (_what, changes, path) => {
    const videoId = await makeVideo(owner)
    const answer = said(await patch(videoId, changes))
    expect(answer).toMatchObject({ status: 400, code: 'INVALID_REQUEST', details: [{ in: 'body', path }] })
    const [{ message }] = answer.details as [{ message: string }]
    expect(message.length).toBeGreaterThan(10)
    expect(await db().auditEntry.count({ where: { subject: videoId } })).toBe(0)
  })

  test('a title from before with characters that are refused now is served, and does not prevent other changes', async () => {
    const title = 'Lesson\u202e 4\x07'
    const videoId = await makeVideo(owner, { title })
    expect((await patch(videoId, { description: 'One\r\ntwo\tthree', metadata: { a: '1' } })).status).toBe(200)
    expect(JSON.parse((await call(videoId)).body).data).toMatchObject({ title, description: 'One\ntwo\tthree' })
    expect(said(await patch(videoId, { title }))).toMatchObject({
      status: 400,
      details: [{ path: 'title', message: 'Remove the character U+202E, which changes the direction of the text around it.' }],
    })
  })

  test('415 for another type, 413 for a large body', async () => {
    const videoId = await makeVideo(owner)
    expect(said(await patch(videoId, {}, { 'content-type': 'application/x-www-form-urlencoded' }))).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    })
    expect(said(await patch(videoId, { title: 'x'.repeat(70_000) }))).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' })
  })

  test('412 unless If-Match names the present ETag, which metadata changes too', async () => {
    const videoId = await makeVideo(owner, { title: 'One' })
    const seen = (await call(videoId)).headers.etag as string
    const tagged = (await call(`${videoId}?expand=metadata,storage`)).headers.etag as string
    expect(tagged).not.toBe(seen)
    const changed = await patch(videoId, { metadata: { by: 'another' } }, { 'if-match': seen })
    const present = changed.headers.etag as string
    expect([changed.status, present === seen]).toEqual([200, false])
    for (const stale of [seen, tagged, `W/${seen}`, gzipped(seen), gzipped(tagged), '"x"', '']) {
      const refused = await patch(videoId, { title: 'Mine' }, { 'if-match': stale })
      expect(said(refused)).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' })
      expect(refused.headers.etag).toBe(present)
    }
    const withExpand = (await call(`${videoId}?expand=processing`)).headers.etag as string
    for (const [at, good] of [withExpand, '*', '"x", W/*now*', '*gzipped*'].entries()) {
      const now = (await call(videoId)).headers.etag as string
      expect(
        (await patch(videoId, { title: `Mine ${at}` }, { 'if-match': good.replace('*now*', now).replace('*gzipped*', gzipped(now)) }))
          .status,
      ).toBe(200)
    }
    const expanded = (await call(`${videoId}?expand=processing`)).headers.etag as string
    expect((await patch(videoId, { title: 'Last' }, { 'if-match': gzipped(expanded) })).status).toBe(200)
    expect(said(await patch(ABSENT, {}, { 'if-match': '*' }))).toMatchObject({ status: 404 })
  })

  test('of concurrent changes with one ETag, one is made', async () => {
    const videoId = await makeVideo(owner)
    const etag = (await call(videoId)).headers.etag
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => patch(videoId, { metadata: { at: `${at}` } }, { 'if-match': etag })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412])
  })

  test('409 for an externalId that another video has; a deleted video gives it free', async () => {
    const [one, other] = [await makeVideo(owner), await makeVideo(owner)]
    const answers = await Promise.all([one, other].map((videoId) => patch(videoId, { externalId: 'only-one' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const [holder, second] = answers[0]?.status === 200 ? [one, other] : [other, one]
    expect(said(await patch(second, { externalId: 'only-one', title: 'No' }))).toEqual({
      status: 409,
      code: 'EXTERNAL_ID_IN_USE',
      details: { externalId: 'only-one', videoId: holder },
    })
    expect((await patch(await makeVideo(await makeAccount()), { externalId: 'only-one' })).status).toBe(404)
    await call(holder, { method: 'DELETE' })
    expect((await patch(second, { externalId: 'only-one' })).status).toBe(200)
    expect(said(await call(`${holder}/restore`, { method: 'POST' }))).toMatchObject({
      status: 409,
      code: 'EXTERNAL_ID_IN_USE',
      details: { videoId: second },
    })
    expect((await patch(second, { externalId: '' })).status).toBe(200)
    expect((await call(`${holder}/restore`, { method: 'POST' })).status).toBe(200)
  })

  test('the audit log names the key and the values before and after', async () => {
    const videoId = await makeVideo(owner, { title: 'One' })
    await patch(videoId, { title: 'Two', metadata: { a: '1', b: '1' } })
    await patch(videoId, { title: 'Two', metadata: { a: '2' } })
    const entries = await db().auditEntry.findMany({ where: { subject: videoId }, orderBy: { id: 'asc' } })
    expect(entries.map(({ actor, action, before, after }) => ({ actor, action, before, after }))).toEqual([
      {
        actor: key.id,
        action: 'video.edit',
        before: { title: 'One', 'metadata.a': null, 'metadata.b': null },
        after: { title: 'Two', 'metadata.a': '1', 'metadata.b': '1' },
      },
      { actor: key.id, action: 'video.edit', before: { 'metadata.a': '1' }, after: { 'metadata.a': '2' } },
    ])
  })
})

describe('DELETE and restore', () => {
  const eventsOf = async (videoId: string) => {
    const events = await db().webhookEvent.findMany({ where: { accountId: owner.accountId, payload: { contains: videoId } } })
    return events.map(({ type }) => type).sort()
  }

  test('the next read, token request and exchange find nothing; a repetition says the same', async () => {
    const videoId = await makePlayable(owner, { externalId: 'gone' })
    const token = JSON.parse((await call(`${videoId}/playback-token`, { method: 'POST' })).body).data.token
    expect((await call(videoId)).status).toBe(200)
    const first = said(await call(videoId, { method: 'DELETE' }))
    expect(first).toMatchObject({ status: 200, data: { id: videoId, deleted: true } })
    const { deletedAt, restorableUntil } = first.data as { deletedAt: string; restorableUntil: string }
    expect(Date.parse(restorableUntil) - Date.parse(deletedAt)).toBe(7 * 86_400_000)
    for (const [path, method] of [
      [videoId, 'GET'],
      [`${videoId}?expand=metadata`, 'GET'],
      [`${videoId}/playback-token`, 'POST'],
      [`playback/manifest/${token}`, 'GET'],
      [`${videoId}/processing`, 'GET'],
    ] as const)
      expect([path, said(await call(path, { method }))]).toMatchObject([path, { status: 404, code: 'VIDEO_NOT_FOUND' }])
    expect((await send(`${baseUrl}/v1/video`, { headers: { 'x-service-key': key.value } })).body).not.toContain(videoId)
    expect(said(await patch(videoId, { title: 'x' }))).toMatchObject({ status: 404 })
    expect(said(await call(videoId, { method: 'DELETE' }))).toEqual(first)
    expect(await db().auditEntry.count({ where: { subject: videoId } })).toBe(1)
    expect(await eventsOf(videoId)).toEqual(['video.deleted'])
  })

  test('restore returns the video, which is read at once; a repetition too', async () => {
    const videoId = await makeVideo(owner, { title: 'Back' })
    await call(videoId, { method: 'DELETE' })
    for (const _time of [1, 2])
      expect(said(await call(`${videoId}/restore`, { method: 'POST' }))).toMatchObject({
        status: 200,
        data: { id: videoId, title: 'Back' },
      })
    expect((await call(videoId)).status).toBe(200)
    await call(videoId, { method: 'DELETE' })
    expect(await eventsOf(videoId)).toEqual(['video.deleted', 'video.deleted', 'video.restored'])
    const actors = await db().auditEntry.findMany({ where: { subject: videoId }, select: { actor: true } })
    expect(actors.map(({ actor }) => actor)).toEqual([key.id, key.id, key.id])
  })

  test('404 for both after 7 days', async () => {
    const videoId = await makeVideo(owner, { deletedAt: new Date(Date.now() - 7 * 86_400_000 - 1_000) })
    expect(said(await call(`${videoId}/restore`, { method: 'POST' }))).toMatchObject({ status: 404, code: 'VIDEO_NOT_FOUND' })
    expect(said(await call(videoId, { method: 'DELETE' }))).toMatchObject({ status: 404, code: 'VIDEO_NOT_FOUND' })
  })

  test('DELETE obeys If-Match', async () => {
    const videoId = await makeVideo(owner)
    expect(said(await call(videoId, { method: 'DELETE', headers: { 'if-match': '"x"' } }))).toMatchObject({ status: 412 })
    expect((await call(videoId, { method: 'DELETE', headers: { 'if-match': (await call(videoId)).headers.etag } })).status).toBe(200)
  })

  test('429 when the restored video would exceed the transcode queue', async () => {
    const ctx = await makeAccount()
    const { value } = await makeKey(ctx, { scopes: ['video:write'] })
    await db().accountLimit.create({
      data: { accountId: ctx.accountId, name: 'pendingVideos', value: 1n, reason: 'Asked for', setBy: 'test' },
    })
    const videoId = await makeVideo(ctx, { status: 'PENDING' })
    await call(videoId, { method: 'DELETE', key: value })
    const waiting = await makeVideo(ctx, { status: 'PENDING' })
    const refused = await call(`${videoId}/restore`, { method: 'POST', key: value })
    expect([said(refused), refused.headers['retry-after']]).toMatchObject([{ status: 429, code: 'TOO_MANY_ATTEMPTS' }, '60'])
    await call(waiting, { method: 'DELETE', key: value })
    expect((await call(`${videoId}/restore`, { method: 'POST', key: value })).status).toBe(200)
    await restoreVideo(ctx, { videoId })
  })
})
