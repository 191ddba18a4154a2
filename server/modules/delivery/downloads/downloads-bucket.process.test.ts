import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { claimStorage } from '../../../platform/storage/claim-storage.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount } from '../../../testing/make.ts'
import { storeVideo } from '../../../testing/media/stored-video.ts'
import { hasSwift, type Swift, startSwift } from '../../../testing/services/swift.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { createDownload } from './create-download.ts'
import { prepareDownload } from './prepare-download.ts'

await testDatabase()

describe.skipIf(!hasSwift())('MP4 files in a bucket', () => {
  let swift: Swift
  beforeAll(async () => {
    swift = await startSwift()
    for (const [name, value] of Object.entries(swift.credentials)) vi.stubEnv(name, value)
    provide({ STORAGE_URL: await swift.makeBucket(), STORAGE_RESERVE_BYTES: '0' })
    renew('storage')
    await claimStorage()
    const baseUrl = await startHttpServer()
    provide({ BASE_URL: baseUrl })
    await startQueue(JOBS)
  })
  afterAll(async () => {
    await stopQueue()
    await swift?.stop()
  })

  it('are delivered in ranges, and stay within the limit of their account', async () => {
    const owner = await makeAccount()
    const { accountId } = owner
    await db().account.update({ where: { id: accountId }, data: { downloads: true } })
    const videos = [(await storeVideo(owner, { seconds: 4, rate: 25 })).id, (await storeVideo(owner, { seconds: 2, rate: 25 })).id]
    const [long = '', short = ''] = videos
    const stored = async () => {
      const found: [string, number][] = []
      for await (const { key, bytes } of storage().listSizes('downloads/')) found.push([key.split('/')[1] as string, bytes])
      return found
    }
    const make = async (videoId: string) => {
      await createDownload(owner, { videoId, quality: '240p' })
      await prepareDownload({ videoId, quality: '240p' }, new AbortController().signal)
      return createDownload(owner, { videoId, quality: '240p' })
    }
    const { url, sizeBytes } = await make(long)
    const whole = Buffer.from(await (await fetch(url as string)).arrayBuffer())
    expect(whole).toHaveLength(sizeBytes as number)
    const part = await fetch(url as string, { headers: { Range: 'bytes=1000-1999' } })
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, whole.subarray(1_000, 2_000)])

    const limit = { accountId, name: 'downloadBytes', value: BigInt(whole.length), reason: 'a test', setBy: 'usr_test' }
    await db().accountLimit.create({ data: limit })
    const next = await make(short)
    expect(await stored()).toEqual([[short, next.sizeBytes]])
    expect((await fetch(url as string)).status).toBe(404)

    await db().accountLimit.updateMany({ where: { accountId }, data: { value: BigInt(whole.length - 1) } })
    await expect(make(long)).rejects.toMatchObject({ code: 'DOWNLOAD_TOO_LARGE' })
    expect(await stored()).toEqual([[short, next.sizeBytes]])
  })
})
