import { expect, it } from 'vitest'
import { uploadPlace } from '../../modules/uploads/resumable/place.ts'
import { db, transaction } from '../../platform/database/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { uploadCaller } from '../../testing/direct-upload.ts'
import { startHttpServer } from '../../testing/http-server.ts'
import { waitForLocks } from '../../testing/lock-waits.ts'
import { provide } from '../../testing/settings.ts'

await testDatabase()
provide({ MAX_UPLOAD_BYTES: '5000000' })
const baseUrl = await startHttpServer()

const tus = (method: string, url: string, headers: Record<string, string>) =>
  fetch(url, { method, headers: { 'Tus-Resumable': '1.0.0', ...headers } })
const reserved = async (id: string) => Number((await db().upload.findUniqueOrThrow({ where: { id } })).bytes)

it('keeps what an upload may receive reserved when another request announces less at the same time', async () => {
  const { ctx, create } = await uploadCaller(baseUrl)
  const { uploadId, uploadUrl } = await create()
  const part = { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' }
  const [large, small] = await transaction(async (holder) => {
    await holder.query('SELECT FROM account WHERE id = $1 FOR NO KEY UPDATE', [ctx.accountId])
    const large = tus('POST', uploadUrl, { 'Upload-Length': '4000000' })
    await waitForLocks(1)
    const small = tus('PATCH', uploadUrl, { ...part, 'Upload-Length': '1' })
    await waitForLocks(2)
    // In an array: a returned promise would be awaited before the account is unlocked.
    return [large, small]
  })
  await Promise.all([large, small])
  const size = (await uploadPlace().ticket(uploadId))?.size
  expect([4_000_000, 1]).toContain(size)
  expect(await reserved(uploadId)).toBe(size)
})

it('lowers the reservation of an upload that starts over with a smaller size', async () => {
  const { create } = await uploadCaller(baseUrl)
  const { uploadId, uploadUrl } = await create()
  for (const size of [4_000_000, 10, 3_000_000]) {
    expect((await tus('POST', uploadUrl, { 'Upload-Length': String(size) })).status).toBe(201)
    expect(await reserved(uploadId)).toBe(size)
  }
})
