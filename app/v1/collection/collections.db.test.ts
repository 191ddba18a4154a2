import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../../server/context.ts'
import { db } from '../../../server/platform/database/database.ts'
import { send } from '../../../server/testing/client.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { uploadCaller } from '../../../server/testing/direct-upload.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { makeAccount, makeKey, makeVideo } from '../../../server/testing/make.ts'
import { likeVideo } from '../../../server/testing/tus-client.ts'
import { said } from '../../../server/testing/video-calls.ts'

await testDatabase()
const baseUrl = await startHttpServer()

let owner: AccountCtx
let key: { id: string; value: string }
beforeEach(async () => {
  owner = await makeAccount()
  key = await makeKey(owner, { scopes: ['video:read', 'video:write'] })
})

async function call(method: string, path: string, body?: unknown, as = key.value) {
  const headers = { 'x-service-key': as, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
  return said(await send(`${baseUrl}/v1/${path}`, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }))
}
const create = async (name: string) => (await call('POST', 'collection', { name })).data?.id as string
const namesOf = async (videoId: string) => (await call('GET', `video/${videoId}?expand=collections`)).data?.collections
const audit = async () =>
  (
    await db().auditEntry.findMany({ where: { accountId: owner.accountId, action: { startsWith: 'collection.' } }, orderBy: { id: 'asc' } })
  ).map(({ action, actor, subject }) => ({ action, actor, subject }))

describe('collections', () => {
  test('are created, renamed and deleted; the audit log names the key', async () => {
    const made = await call('POST', 'collection', { name: ' Physics 1 ' })
    expect(made).toEqual({
      status: 201,
      data: { id: expect.stringMatching(/^col_/), name: 'Physics 1', createdAt: expect.stringMatching(/Z$/) },
    })
    const id = made.data?.id as string
    expect(await call('GET', `collection/${id}`)).toEqual({ ...made, status: 200 })
    expect(await call('PATCH', `collection/${id}`, { name: 'physics 1' })).toMatchObject({ status: 200, data: { id, name: 'physics 1' } })
    expect(await call('PATCH', `collection/${id}`, { name: 'physics 1' })).toMatchObject({ status: 200 })
    expect(await call('DELETE', `collection/${id}`)).toEqual({ status: 200, data: { id, deleted: true } })
    for (const method of ['GET', 'DELETE'])
      expect(await call(method, `collection/${id}`)).toMatchObject({ status: 404, code: 'COLLECTION_NOT_FOUND' })
    expect(await audit()).toEqual(
      ['create', 'rename', 'remove'].map((what) => ({ action: `collection.${what}`, actor: key.id, subject: id })),
    )
  })

  test('are listed by name, page by page', async () => {
    for (const name of ['b', 'C', 'a', 'Ä', 'Zebra']) await create(name)
    const list = async (search = '') => {
      const { body } = await send(`${baseUrl}/v1/collection${search}`, { headers: { 'x-service-key': key.value } })
      const { data, pagination, error } = JSON.parse(body)
      return { names: data?.map(({ name }: { name: string }) => name), ...pagination, code: error?.code }
    }
    const all = await list()
    expect(all).toMatchObject({ nextCursor: null, hasMore: false })
    expect(all.names).toEqual(['a', 'Ä', 'b', 'C', 'Zebra'])
    const first = await list('?limit=3')
    expect([first.hasMore, first.names]).toEqual([true, all.names.slice(0, 3)])
    expect(await list(`?limit=3&cursor=${first.nextCursor}`)).toMatchObject({ names: all.names.slice(3), hasMore: false })
    for (const search of ['?limit=0', '?limit=1001', '?cursor=x', '?cursor=WyJcdTAwMDAiXQ'])
      expect((await list(search)).code).toBe('INVALID_REQUEST')
  })

  test('409 for a name that another has, also when both are created at once', async () => {
    const answers = await Promise.all(['Same', 'same', 'SAME'].map((name) => call('POST', 'collection', { name })))
    expect(answers.map(({ status, code }) => `${status} ${code}`).sort()).toEqual([
      '201 undefined',
      '409 COLLECTION_NAME_IN_USE',
      '409 COLLECTION_NAME_IN_USE',
    ])
    const other = await create('Other')
    expect(await call('PATCH', `collection/${other}`, { name: 'sAme' })).toMatchObject({ status: 409, code: 'COLLECTION_NAME_IN_USE' })
  })

  test('names and titles whose letters and marks come apart are those whose letters are whole', async () => {
    const [apart, whole] = ['Scho\u0308ne Übung', 'Schöne Übung']
    expect(await call('POST', 'collection', { name: apart })).toMatchObject({ status: 201, data: { name: whole } })
    expect(await call('POST', 'collection', { name: whole })).toMatchObject({ status: 409, code: 'COLLECTION_NAME_IN_USE' })
    const id = await makeVideo(owner)
    const fields = { title: apart, externalId: apart, metadata: { [apart]: apart } }
    expect(await call('PATCH', `video/${id}`, fields)).toMatchObject({ status: 200, data: { title: whole } })
    for (const text of [apart, whole].map(encodeURIComponent))
      for (const query of [`q=${text}`, `externalId=${text}`, `metadata[${text}]=${text}`])
        expect(await call('GET', `video?${query}`)).toMatchObject({ status: 200, data: [{ id, title: whole }] })
  })

  test.each<[string, unknown]>([
    ['no name', {}],
    ['a blank name', { name: ' ' }],
    ['too long a name', { name: 'x'.repeat(101) }],
    ['a line break', { name: 'a\nb' }],
    ['a name that no database holds', { name: 'a\ud800' }],
    ['an unknown field', { name: 'a', parent: 'b' }],
  ])('400 for %s', async (_what, body) => {
    expect(await call('POST', 'collection', body)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
  })

  test('403 for a key without the scope', async () => {
    const id = await create('a')
    const videoId = await makeVideo(owner)
    const reads = await makeKey(owner, { scopes: ['video:read'] })
    const writes = await makeKey(owner, { scopes: ['video:write'] })
    for (const [method, path, body] of [
      ['POST', 'collection', { name: 'b' }],
      ['PATCH', `collection/${id}`, { name: 'b' }],
      ['DELETE', `collection/${id}`, undefined],
      ['PUT', `collection/${id}/video/${videoId}`, undefined],
      ['DELETE', `collection/${id}/video/${videoId}`, undefined],
    ] as const)
      expect(await call(method, path, body, reads.value)).toMatchObject({ status: 403, details: { needs: 'video:write' } })
    for (const path of ['collection', `collection/${id}`])
      expect(await call('GET', path, undefined, writes.value)).toMatchObject({ status: 403, details: { needs: 'video:read' } })
  })

  test('409 above their number in an account', async () => {
    await db().collection.createMany({
      data: Array.from({ length: 999 }, (_, at) => ({ id: `col_${owner.accountId}_${at}`, accountId: owner.accountId, name: `n${at}` })),
    })
    const answers = await Promise.all(['x', 'y', 'z'].map((name) => call('POST', 'collection', { name })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject({ code: 'COLLECTION_LIMIT_REACHED', details: { maximum: 1_000 } })
  })
})

describe('videos of collections', () => {
  let videoId: string
  beforeEach(async () => {
    videoId = await makeVideo(owner)
  })

  test('are added and removed, any number of times with the same result', async () => {
    const [one, two] = [await create('One'), await create('Two')]
    for (const collectionId of [two, one, one])
      expect(await call('PUT', `collection/${collectionId}/video/${videoId}`)).toEqual({ status: 200, data: { collectionId, videoId } })
    expect(await namesOf(videoId)).toEqual([
      { id: one, name: 'One' },
      { id: two, name: 'Two' },
    ])
    for (let round = 0; round < 2; round++)
      expect(await call('DELETE', `collection/${one}/video/${videoId}`)).toEqual({
        status: 200,
        data: { collectionId: one, videoId, deleted: true },
      })
    expect(await namesOf(videoId)).toEqual([{ id: two, name: 'Two' }])
    expect((await audit()).map(({ action, subject }) => [action, subject]).slice(2)).toEqual([
      ['collection.add', videoId],
      ['collection.add', videoId],
      ['collection.take', videoId],
    ])
  })

  test('404 for a video or a collection that does not exist', async () => {
    const id = await create('One')
    const absent = 'vid_0000000000000000000000'
    const deleted = await makeVideo(owner, { deletedAt: new Date() })
    for (const method of ['PUT', 'DELETE']) {
      for (const video of [absent, deleted, 'x', '%00'])
        expect(await call(method, `collection/${id}/video/${video}`)).toMatchObject({ status: 404, code: 'VIDEO_NOT_FOUND' })
      for (const collection of ['col_0000000000000000000000', 'x', '%00'])
        expect(await call(method, `collection/${collection}/video/${videoId}`)).toMatchObject({ status: 404, code: 'COLLECTION_NOT_FOUND' })
    }
  })

  test('409 for a video that is in as many as it can be', async () => {
    await db().collection.createMany({
      data: Array.from({ length: 50 }, (_, at) => ({ id: `col_${owner.accountId}_${at}`, accountId: owner.accountId, name: `n${at}` })),
    })
    const { createdAt } = await db().video.findUniqueOrThrow({ where: { id: videoId } })
    await db().collectionVideo.createMany({
      data: Array.from({ length: 49 }, (_, at) => ({ collectionId: `col_${owner.accountId}_${at}`, videoId, videoCreatedAt: createdAt })),
    })
    const answers = await Promise.all(
      [`col_${owner.accountId}_49`, await create('Last')].map((id) => call('PUT', `collection/${id}/video/${videoId}`)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 409)).toMatchObject({ code: 'COLLECTION_LIMIT_REACHED', details: { maximum: 50 } })
  })

  test('remain when a collection is deleted, and a purged video leaves it', async () => {
    const [one, two] = [await create('One'), await create('Two')]
    const gone = await makeVideo(owner)
    for (const video of [videoId, gone]) for (const id of [one, two]) await call('PUT', `collection/${id}/video/${video}`)
    await call('DELETE', `collection/${one}`)
    expect(await namesOf(videoId)).toEqual([{ id: two, name: 'Two' }])
    // As the purge does.
    await db().video.delete({ where: { id: gone } })
    expect(await db().collectionVideo.findMany({ where: { collectionId: two }, select: { videoId: true } })).toEqual([{ videoId }])
  })
})

describe('the collection of an upload', () => {
  let caller: Awaited<ReturnType<typeof uploadCaller>>
  beforeAll(async () => {
    caller = await uploadCaller(baseUrl)
  })
  const collection = (name: string) =>
    db().collection.create({ data: { id: `col_${name}`, accountId: caller.ctx.accountId, name }, select: { id: true } })
  const upload = async (uploadUrl: string, uploadId: string) => {
    expect((await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(likeVideo(100)) })).status).toBe(200)
    return (await caller.get(uploadId)).videoId as string
  }

  test('has its video', async () => {
    const { id } = await collection('kept')
    const { uploadUrl, uploadId } = await caller.create({ collection: id })
    const videoId = await upload(uploadUrl, uploadId)
    const { createdAt } = await db().video.findUniqueOrThrow({ where: { id: videoId } })
    expect(await db().collectionVideo.findMany({ where: { videoId } })).toEqual([{ collectionId: id, videoId, videoCreatedAt: createdAt }])
  })

  test('may be deleted meanwhile: the log of the video states it', async () => {
    const { id } = await collection('gone')
    const { uploadUrl, uploadId } = await caller.create({ collection: id })
    await db().collection.delete({ where: { id } })
    const videoId = await upload(uploadUrl, uploadId)
    expect((await db().videoLog.findMany({ where: { videoId } })).map(({ message }) => message)).toContain(
      `The collection ${id} was deleted, so this video is not in any collection.`,
    )
  })

  test.each(['x', 'col_0000000000000000000000', ''])('400 for one that does not exist: %s', async (id) => {
    const { status, body } = await caller.post({ collection: id })
    expect([status, JSON.parse(body).error.details]).toEqual([400, [{ in: 'body', path: 'collection', message: expect.any(String) }]])
  })
})
