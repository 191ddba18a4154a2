import { expect, it, vi } from 'vitest'
import { db, query } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { UploadLeases } from './lease.ts'
import { insertMultipart, readParts, recordPart, takeNumber } from './multipart-rows.ts'

await testDatabase()
const forever = () => new AbortController().signal
let made = 0

/** Creates an upload in the database. */
async function upload(): Promise<string> {
  const { accountId } = await makeAccount()
  const id = String(made++).padStart(32, '0')
  await insertMultipart({ id, accountId, storeId: 'store', size: 100, metadata: {} })
  return id
}

/** Takes the lease of an upload as a process of its own. */
async function take(id: string, onRelease = () => {}) {
  const process = new UploadLeases()
  const lease = process.newLock(id)
  await lease.lock(forever(), onRelease)
  return { release: () => lease.unlock(), lease: process.leaseOf(id) }
}

it('admits one request of several processes at a time, however many begin at once', async () => {
  const id = await upload()
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { release } = await take(id)
      most = Math.max(most, ++inside)
      await query('test-round', 'SELECT 1', [])
      inside--
      await release()
    }),
  )
  expect(most).toBe(1)
})

it('asks the holder to stop when a request of another process waits', async () => {
  const id = await upload()
  const asked = vi.fn()
  const first = await take(id, asked)
  const second = take(id)
  await vi.waitFor(() => expect(asked).toHaveBeenCalled())
  await first.release()
  await (await second).release()
})

it('asks the holder in the same process at once', async () => {
  const id = await upload()
  const process = new UploadLeases()
  const [first, second] = [process.newLock(id), process.newLock(id)]
  await first.lock(forever(), () => first.unlock())
  await second.lock(forever(), () => {})
  expect(process.leaseOf(id)).toBe(second.lease)
  await second.unlock()
})

it('passes the lease of a killed process on when it ends', async () => {
  const id = await upload()
  await query(
    'test-killed',
    `UPDATE multipart_upload SET lease_id = gen_random_uuid(), leased_until = service_now() + interval '1 second' WHERE id = $1`,
    [id],
  )
  await (await take(id)).release()
})

it('keeps the lease of a holder that lives for longer than one term', async () => {
  const id = await upload()
  const first = await take(id)
  const until = async () => (await db().multipartUpload.findUniqueOrThrow({ where: { id } })).leasedUntil?.getTime() ?? 0
  const before = await until()
  await vi.waitFor(async () => expect(await until()).toBeGreaterThan(before))
  await first.release()
})

it('gives up when the client of a waiting request leaves', async () => {
  const id = await upload()
  const first = await take(id)
  const leaving = new AbortController()
  const waiting = new UploadLeases().newLock(id).lock(leaving.signal, () => {})
  leaving.abort()
  await expect(waiting).rejects.toMatchObject({ body: 'failed to acquire lock before timeout' })
  await first.release()
})

it('refuses every write of a request that lost its lease', async () => {
  const id = await upload()
  const lost = await take(id)
  const number = await takeNumber(id, lost.lease, 'part')
  await query('test-expire', 'UPDATE multipart_upload SET leased_until = service_now() WHERE id = $1', [id])
  const next = await take(id)
  expect(await takeNumber(id, next.lease, 'part')).toBeGreaterThan(number)
  await recordPart(id, next.lease, { number: number + 1, bytes: 5, etag: 'new' }, [])
  for (const write of [
    () => takeNumber(id, lost.lease, 'part'),
    () => recordPart(id, lost.lease, { number, bytes: 50, etag: 'late' }, []),
    () => recordPart(id, lost.lease, { number, bytes: 50, etag: 'late' }, [{ number: number + 1, bytes: 5, etag: 'new' }]),
  ])
    await expect(write()).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await readParts(id)).toEqual([{ number: number + 1, bytes: 5, etag: 'new' }])
  await lost.release()
  expect(await takeNumber(id, next.lease, 'part')).toBe(number + 2)
  await next.release()
})
