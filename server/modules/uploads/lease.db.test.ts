import { expect, it, vi } from 'vitest'
import { query } from '../../platform/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { UploadLeases } from './lease.ts'
import { insertMultipart, readParts, recordPart, takeNumber } from './multipart-rows.ts'

await testDatabase()
const forever = () => new AbortController().signal
let made = 0

/** Creates an upload in the database. */
async function upload(): Promise<string> {
  const { accountId } = await makeAccount()
  const id = String(made++).padStart(32, '0')
  await insertMultipart({ id, accountId, storeId: 'store', size: 100, metadata: {}, token: '' })
  return id
}

/** Takes the lease of an upload as a process of its own. */
async function take(id: string, onRelease = () => {}) {
  const process = new UploadLeases()
  const lease = process.newLock(id)
  await lease.lock(forever(), onRelease)
  return { release: () => lease.unlock(), token: process.tokenOf(id) }
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
  expect(process.tokenOf(id)).toBe(second.token)
  await second.unlock()
})

it('passes the lease of a killed process on when it ends', async () => {
  const id = await upload()
  await query(
    'test-killed',
    `UPDATE multipart_upload SET holder = 'killed', held_until = service_now() + interval '1 second' WHERE id = $1`,
    [id],
  )
  await (await take(id)).release()
})

it('keeps the lease of a holder that lives for longer than one term', async () => {
  const id = await upload()
  const first = await take(id)
  const term =
    'SELECT held_until > service_now() AS held, extract(epoch FROM held_until)::float8 AS until FROM multipart_upload WHERE id = $1'
  const read = async () => (await query<{ held: boolean; until: number }>('test-term', term, [id]))[0] as { held: boolean; until: number }
  const before = await read()
  await vi.waitFor(async () => expect((await read()).until).toBeGreaterThan(before.until))
  expect((await read()).held).toBe(true)
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
  const number = await takeNumber(id, lost.token, 'part')
  await query('test-expire', 'UPDATE multipart_upload SET held_until = service_now() WHERE id = $1', [id])
  const next = await take(id)
  expect(await takeNumber(id, next.token, 'part')).toBeGreaterThan(number)
  await recordPart(id, next.token, { number: number + 1, bytes: 5, etag: 'new' }, [])
  for (const write of [
    () => takeNumber(id, lost.token, 'part'),
    () => recordPart(id, lost.token, { number, bytes: 50, etag: 'late' }, []),
    () => recordPart(id, lost.token, { number, bytes: 50, etag: 'late' }, [{ number: number + 1, bytes: 5, etag: 'new' }]),
  ])
    await expect(write()).rejects.toMatchObject({ code: 'CONFLICT' })
  expect(await readParts(id)).toEqual([{ number: number + 1, bytes: 5, etag: 'new' }])
  await lost.release()
  expect(await takeNumber(id, next.token, 'part')).toBe(number + 2)
  await next.release()
})
