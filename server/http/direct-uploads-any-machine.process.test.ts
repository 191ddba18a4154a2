import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { storageOf } from '../modules/identity/accounts/storage.ts'
import { expireDirectUploads } from '../modules/uploads/direct/expire-direct.ts'
import { sweepUploads } from '../modules/uploads/resumable/sweep.ts'
import { db, query } from '../platform/database/database.ts'
import { listMultiparts } from '../platform/storage/s3-multipart.ts'
import { storage } from '../platform/storage/storage.ts'
import { testDatabase } from '../testing/database.ts'
import { uploadCaller } from '../testing/direct-upload.ts'
import { atFileEnd } from '../testing/media/file-end.ts'
import { hasSwift, type Swift, startSwift } from '../testing/services/swift.ts'
import { startWebProcess, type WebProcess } from '../testing/services/web-process.ts'
import { provide, renew } from '../testing/settings.ts'
import { likeVideo, sha256 } from '../testing/tus-client.ts'

await testDatabase()
const MB = 1024 ** 2

describe.skipIf(!hasSwift())('uploads of the API on machines with one object store', () => {
  let swift: Swift
  let machines: [WebProcess, WebProcess]
  let caller: Awaited<ReturnType<typeof uploadCaller>>

  beforeAll(async () => {
    swift = await startSwift()
    for (const [name, value] of Object.entries(swift.credentials)) vi.stubEnv(name, value)
    const location = await swift.makeBucket()
    provide({ STORAGE_URL: location, STORAGE_RESERVE_BYTES: '0' })
    renew('storage', 'uploadPlace')
    const startMachine = () => {
      const folder = mkdtempSync(join(tmpdir(), 'reelgate-machine-'))
      atFileEnd(() => rmSync(folder, { recursive: true, force: true }))
      const settings = { DATA_DIR: folder, STORAGE_URL: location, STORAGE_RESERVE_BYTES: '0' }
      return startWebProcess({ settings, environment: swift.credentials })
    }
    machines = await Promise.all([startMachine(), startMachine()])
  })
  afterAll(() => swift?.stop())
  beforeEach(async () => {
    caller = await uploadCaller(machines[0].url)
  })

  /** Creates an upload; returns its id and its URL at each machine. */
  async function create(input = {}) {
    const { uploadId, uploadUrl } = await caller.create({ maxBytes: 30 * MB, ...input })
    return { uploadId, urls: machines.map(({ url }) => new URL(new URL(uploadUrl).pathname, url).href) as [string, string] }
  }
  const bytes = (length: number) => new Uint8Array(likeVideo(length))
  const tus = (method: string, url: string, headers: Record<string, string> = {}, body?: BodyInit) =>
    fetch(url, { method, headers: { 'Tus-Resumable': '1.0.0', ...headers }, body })
  const patch = (url: string, offset: number, body: Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    tus('PATCH', url, { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream', ...headers }, body)
  async function expectStored(uploadId: string, file: Uint8Array) {
    const { status, videoId, bytesReceived } = await caller.get(uploadId)
    expect([status, bytesReceived]).toEqual(['completed', file.length])
    const { sourceKey } = await db().media.findUniqueOrThrow({ where: { id: videoId } })
    expect(await sha256(storage().read(sourceKey))).toBe(await sha256([file]))
    expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, videos: 1, originalBytes: file.length })
  }
  /** Returns what the store holds of the upload besides the original of its video. */
  const left = async (uploadId: string) => {
    const { videoId } = await db().directUpload.findUniqueOrThrow({ where: { id: uploadId } })
    const found: string[] = []
    for await (const { key } of listMultiparts('sources/')) if (key.endsWith(videoId)) found.push(key)
    for await (const key of storage().list(`uploads/${uploadId}/`)) found.push(key)
    return found
  }

  it('continue on another machine', async () => {
    const { uploadId, urls } = await create()
    const file = bytes(13 * MB)
    expect((await patch(urls[0], 0, file.slice(0, 5 * MB), { 'Upload-Length': String(file.length) })).status).toBe(204)
    expect((await tus('HEAD', urls[1])).headers.get('upload-offset')).toBe(String(5 * MB))
    expect(await caller.get(uploadId)).toMatchObject({ status: 'uploading', bytesReceived: 5 * MB })
    expect((await patch(urls[1], 5 * MB, file.slice(5 * MB))).status).toBe(204)
    await expectStored(uploadId, file)
  })

  it('take a first request at each machine at once', async () => {
    const { uploadId, urls } = await create()
    const answers = await Promise.all([...urls, ...urls].map((url) => tus('HEAD', url)))
    expect(answers.map(({ status, headers }) => [status, headers.get('upload-offset')])).toEqual(Array(4).fill([200, '0']))
    expect(await left(uploadId)).toHaveLength(1)
  })

  it.each(['with its length', 'chunked'])('take a PUT, %s, in place of what was received before, and leave nothing else', async (way) => {
    const { uploadId, urls } = await create()
    await patch(urls[0], 0, bytes(7 * MB), { 'Upload-Length': String(20 * MB) })
    const file = bytes(18 * MB + 5)
    const body = way === 'chunked' ? new Blob([file]).stream() : file
    const sent = await fetch(urls[1], { method: 'PUT', body, duplex: 'half' } as RequestInit)
    expect(sent.status).toBe(200)
    await expectStored(uploadId, file)
    expect(await left(uploadId)).toEqual([])
  })

  it('refuse more than maxBytes without a length, and take a smaller file then', async () => {
    const { uploadId, urls } = await create({ maxBytes: 6 * MB })
    const sent = await fetch(urls[0], { method: 'PUT', body: new Blob([bytes(9 * MB)]).stream(), duplex: 'half' } as RequestInit)
    expect(sent.status).toBe(413)
    expect(await caller.get(uploadId)).toMatchObject({ status: 'waiting', bytesReceived: 0 })
    const file = bytes(6 * MB)
    expect((await fetch(urls[1], { method: 'PUT', body: file })).status).toBe(200)
    await expectStored(uploadId, file)
  })

  it.each(['cancelled', 'expired'])('leave nothing when they are %s', async (way) => {
    const { uploadId, urls } = await create()
    await patch(urls[0], 0, bytes(7 * MB), { 'Upload-Length': String(20 * MB) })
    if (way === 'cancelled') expect((await tus('DELETE', urls[1])).status).toBe(204)
    else {
      await query('test-lapse', `UPDATE direct_upload SET expires_at = service_now() - interval '1 second' WHERE id = $1`, [uploadId])
      await expireDirectUploads(new AbortController().signal)
    }
    await sweepUploads(new AbortController().signal)
    expect(await caller.get(uploadId)).toMatchObject({ status: way === 'cancelled' ? 'failed' : 'expired', bytesReceived: 7 * MB })
    expect(await left(uploadId)).toEqual([])
    expect(await storageOf(caller.ctx.accountId)).toMatchObject({ uploads: 0, unfinishedBytes: 0, videos: 0 })
  })
})
