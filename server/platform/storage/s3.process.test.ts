import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateMultipartUploadCommand, HeadObjectCommand, ListMultipartUploadsCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { atFileEnd } from '../../testing/media/file-end.ts'
import { hasSwift, type Swift, startSwift } from '../../testing/services/swift.ts'
import { provide, renew } from '../../testing/settings.ts'
import { storageContract } from '../../testing/storage-contract.ts'
import { fetchOnce } from './fetched-files.ts'
import { storageErrors } from './measured-storage.ts'
import { presignedUrl } from './presign.ts'
import { s3Storage } from './s3.ts'
import { s3Client } from './s3-client.ts'
import { storage } from './storage.ts'
import { tryStorage } from './try-storage.ts'

/** Creates a folder that is removed with the test file. */
async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reelgate-s3-'))
  atFileEnd(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe.skipIf(!hasSwift())('S3', () => {
  let swift: Swift
  beforeAll(async () => {
    swift = await startSwift()
    for (const [name, value] of Object.entries(swift.credentials)) vi.stubEnv(name, value)
  })
  afterAll(() => swift?.stop())

  const emptyStore = async (scratch: string) => {
    provide({ STORAGE_URL: await swift.makeBucket(), DATA_DIR: scratch, BASE_URL: 'http://localhost', STORAGE_RESERVE_BYTES: '0' })
    renew('storage', 's3Clients', 'presignedUrls')
    return storage()
  }

  storageContract('S3 (Swift)', emptyStore)

  const parts = (client: S3Client, location: { bucket: string; prefix: string }) =>
    client.send(new ListMultipartUploadsCommand({ Bucket: location.bucket, Prefix: location.prefix }))

  it('stores a large file in parts, with its type and its cache header, and fetches it once', async () => {
    const folder = await scratch()
    const store = await emptyStore(folder)
    const bytes = randomBytes(17 * 1024 ** 2)
    await writeFile(join(folder, 'large'), bytes)
    await store.putFile('sources/large', join(folder, 'large'), { contentType: 'video/mp2t', cacheControl: 'public, max-age=1, immutable' })
    const { client, bucket, prefix } = await s3Client()
    const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: `${prefix}sources/large` }))
    expect(head).toMatchObject({ ContentType: 'video/mp2t', CacheControl: 'public, max-age=1, immutable', ContentLength: bytes.length })
    expect(head.ETag).toMatch(/-2"$/)
    const [first, second] = await Promise.all([store.localFile('sources/large'), store.localFile('sources/large')])
    expect(first.path).toBe(second.path)
    expect((await readFile(first.path)).equals(bytes)).toBe(true)
  })

  it('serves an object to the holder of a presigned URL with the headers that it was stored with', async () => {
    const store = await emptyStore(await scratch())
    await store.put('segments/a.ts', Buffer.from('0123456789'), { contentType: 'video/mp2t', cacheControl: 'public, max-age=1' })
    const { url } = await presignedUrl('segments/a.ts')
    const response = await fetch(url, { headers: { Range: 'bytes=2-4' } })
    expect([response.status, await response.text()]).toEqual([206, '234'])
    expect([response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual(['video/mp2t', 'public, max-age=1'])
    expect((await fetch(url.replace(/Signature=.{4}/, 'Signature=0000'))).status).toBe(403)
  })

  it("passes the operator's check", async () => {
    await emptyStore(await scratch())
    const faults: (string | undefined)[] = []
    for await (const { fault } of tryStorage()) faults.push(fault)
    expect(faults).toEqual(Array.from({ length: 7 }, () => undefined))
  })

  it('removes what interrupted writes left behind, and no open upload', async () => {
    const store = await emptyStore(await scratch())
    const s3 = await s3Client()
    for (const name of ['segments/cut', 'sources/open'])
      await s3.client.send(new CreateMultipartUploadCommand({ Bucket: s3.bucket, Key: s3.prefix + name }))
    await store.sweep(60_000)
    expect((await parts(s3.client, s3)).Uploads).toHaveLength(2)
    await store.sweep(-60_000)
    expect((await parts(s3.client, s3)).Uploads?.map(({ Key }) => Key)).toEqual([`${s3.prefix}sources/open`])
  })

  it('lists and deletes more objects than one response holds', async () => {
    await emptyStore(await scratch())
    const store = s3Storage({ connect: () => s3Client(), fetch: fetchOnce, check: async () => {}, pageSize: 3 })
    const names = Array.from({ length: 8 }, (_, at) => `v/1/${at}`)
    await Promise.all(names.map((name) => store.put(name, Buffer.from('x'))))
    const listed: string[] = []
    for await (const key of store.list('v/1/')) listed.push(key)
    expect(listed.sort()).toEqual(names.sort())
    await store.deletePrefix('v/1/')
    for await (const key of store.list('v/')) expect(key).toBe('none')
  })

  it('says what is wrong when the store cannot be used', async () => {
    const location = await swift.makeBucket()
    const checkWith = (STORAGE_URL: string) => {
      provide({ STORAGE_URL, BASE_URL: 'http://localhost' })
      renew('storage', 's3Clients')
      return storage().check()
    }
    await expect(checkWith(location.replace('media-', 'absent-'))).rejects.toThrow('the bucket does not exist')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another')
    await expect(checkWith(location)).rejects.toThrow('the secret key is wrong')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', swift.credentials.AWS_SECRET_ACCESS_KEY)
    await checkWith(location)
    swift.suspend()
    await expect(storage().check().finally(swift.resume)).rejects.toThrow('does not respond in time')
    await swift.close()
    const failedPuts = () => storageErrors.read().find(({ labels }) => labels.operation === 'put')?.value as number
    const before = failedPuts()
    await expect(storage().put('a', Buffer.from('a'))).rejects.toMatchObject({ name: 'StorageError', code: 'STORAGE_UNAVAILABLE' })
    await swift.reopen()
    await storage().check()
    expect(failedPuts()).toBe(before + 1)
  })
})
