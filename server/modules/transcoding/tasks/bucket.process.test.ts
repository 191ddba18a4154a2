import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { JOBS } from '../../../jobs.ts'
import { db } from '../../../platform/database/database.ts'
import { startQueue, stopQueue } from '../../../platform/job-queue.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { claimStorage } from '../../../platform/storage/claim-storage.ts'
import { fetchedFolder } from '../../../platform/storage/fetched-files.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { expectLoggedErrors } from '../../../testing/logs.ts'
import { makeAccount } from '../../../testing/make.ts'
import { shortClip } from '../../../testing/media/media-files.ts'
import { transcodeVideo } from '../../../testing/media/transcode-video.ts'
import { hasSwift, type Swift, startSwift } from '../../../testing/services/swift.ts'
import { provide, renew } from '../../../testing/settings.ts'
import { pendingVideo } from '../../../testing/upload.ts'
import { removeMedia } from '../../media/remove-media.ts'
import { scrubMedia } from '../../media/scrub.ts'
import { segmentPrefix } from '../../videos/media-keys.ts'

expectLoggedErrors(/STORAGE_UNAVAILABLE/)
await testDatabase()

describe.skipIf(!hasSwift())('a worker with a bucket', () => {
  let swift: Swift
  let ctx: AccountCtx
  beforeAll(async () => {
    swift = await startSwift()
    for (const [name, value] of Object.entries(swift.credentials)) vi.stubEnv(name, value)
    provide({ STORAGE_URL: await swift.makeBucket(), STORAGE_RESERVE_BYTES: '0' })
    renew('storage')
    await claimStorage()
    await startQueue(JOBS)
    ctx = await makeAccount()
  })
  afterAll(async () => {
    await stopQueue()
    await swift?.stop()
  })

  it('transcodes from and to it, although it does not respond for a while as segments are stored', async () => {
    const clip = await shortClip()
    const id = await pendingVideo(ctx, clip, { targetQuality: '240p' })
    const real = storage()
    let away: Promise<void> | undefined
    const put = vi.spyOn(real, 'put').mockImplementationOnce(async (...args) => {
      await swift.close()
      away = swift.reopen()
      put.mockRestore()
      return real.put(...args)
    })
    await transcodeVideo({ accountId: ctx.accountId, videoId: id }, new AbortController().signal)
    expect(away).toBeDefined()
    await away
    const video = await db().media.findUniqueOrThrow({ where: { id }, include: { renditions: true } })
    expect([video.status, video.attempts]).toEqual(['COMPLETED', 1])
    const { faults, objects } = await scrubMedia({ signal: new AbortController().signal }, () => {})
    expect(faults).toEqual([])
    expect(objects).toBeGreaterThan(1)
    const [source = ''] = await readdir(fetchedFolder())
    expect(sha256(await readFile(join(fetchedFolder(), source)))).toEqual(sha256(await readFile(clip)))
    await removeMedia(id)
    for await (const key of storage().list(segmentPrefix(id))) expect(key).toBe('none')
  })
})
