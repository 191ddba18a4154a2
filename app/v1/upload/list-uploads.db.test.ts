import { beforeAll, describe, expect, it } from 'vitest'
import { db } from '../../../server/platform/database/database.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { refusalOf, uploadCaller } from '../../../server/testing/direct-upload.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { provide } from '../../../server/testing/settings.ts'
import { likeVideo } from '../../../server/testing/tus-client.ts'

await testDatabase()
provide({ MAX_UPLOAD_BYTES: '5000000', MAX_UNFINISHED_UPLOADS: '20' })
const baseUrl = await startHttpServer()

let caller: Awaited<ReturnType<typeof uploadCaller>>
/** Ids by what became of the upload, oldest first. */
const made: Record<string, string> = {}

/** Sends the first bytes of a file of 4,000. */
async function begin(uploadUrl: string, bytes: number) {
  const headers = { 'Tus-Resumable': '1.0.0', 'Upload-Length': '4000' }
  await fetch(uploadUrl, { method: 'POST', headers })
  const sent = { 'Tus-Resumable': '1.0.0', 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }
  await fetch(uploadUrl, { method: 'PATCH', headers: sent, body: new Uint8Array(likeVideo(4_000)).subarray(0, bytes) })
}
/** Moves the expiry of an upload into the past. */
const lapse = (id: string) => db().directUpload.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1_000) } })

beforeAll(async () => {
  caller = await uploadCaller(baseUrl)
  for (const [at, name] of ['cancelled', 'lapsed', 'completed', 'uploading', 'untitled', 'waiting'].entries()) {
    const { uploadId, uploadUrl } = await caller.create(name === 'untitled' ? {} : { title: name, externalId: `lesson-${at}` })
    made[name] = uploadId
    if (name === 'cancelled') await caller.cancel(uploadId)
    if (name === 'lapsed') await lapse(uploadId)
    if (name === 'completed') await begin(uploadUrl, 4_000)
    if (name === 'uploading') await begin(uploadUrl, 1_000)
  }
})

const list = async (search = '') => JSON.parse((await caller.call('GET', `/v1/upload${search}`)).body)
const idsOf = async (search: string) => (await list(search)).data.map(({ uploadId }: { uploadId: string }) => uploadId)
const named = (...names: string[]) => names.map((name) => made[name])

describe('GET /v1/upload', () => {
  it('returns all uploads of the account, newest first, as they are returned one by one', async () => {
    const { data, pagination } = await list()
    expect(pagination).toEqual({ nextCursor: null, hasMore: false })
    expect(data.map(({ uploadId }: { uploadId: string }) => uploadId)).toEqual(
      named('waiting', 'untitled', 'uploading', 'completed', 'lapsed', 'cancelled'),
    )
    for (const one of data) expect(one).toEqual(await caller.get(one.uploadId))
    expect(data[0]).toMatchObject({ title: 'waiting', externalId: 'lesson-5', status: 'waiting' })
    expect(data[1]).toMatchObject({ title: null, externalId: null })
  })

  it.each([
    ['waiting', ['waiting', 'untitled']],
    ['uploading', ['uploading']],
    ['waiting,uploading', ['waiting', 'untitled', 'uploading']],
    ['completed', ['completed']],
    // The job that ends it has not run.
    ['expired', ['lapsed']],
    ['failed', ['cancelled']],
    ['failed,%20completed', ['completed', 'cancelled']],
  ])('lists those that are %s', async (status, names) => {
    expect(await idsOf(`?status=${status}`)).toEqual(named(...names))
  })

  it('walks pages of a status that is not stored, past uploads in other ones', async () => {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, pagination }: { data: { uploadId: string }[]; pagination: { nextCursor: string | null } } = await list(
        `?status=waiting,expired&limit=1${cursor && `&cursor=${cursor}`}`,
      )
      expect(data).toHaveLength(1)
      seen.push(...data.map(({ uploadId }) => uploadId))
      cursor = pagination.nextCursor
    }
    expect(seen).toEqual(named('waiting', 'untitled', 'lapsed'))
  })

  it.each([
    ['status=open', 'status'],
    ['status=', 'status'],
    ['status=waiting&status=failed', 'status'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=x', 'cursor'],
    [`cursor=${Buffer.from('["2026-02-30T00:00:00.000Z","upl_x"]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('["2026-02-20T00:00:00.000Z","vid_x"]').toString('base64url')}`, 'cursor'],
  ])('400 for %s', async (search, path) => {
    const answer = await caller.call('GET', `/v1/upload?${search}`)
    expect(refusalOf(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(JSON.parse(answer.body).error.details).toMatchObject([{ in: 'query', path }])
  })
})
