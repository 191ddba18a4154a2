import { beforeEach, expect, it } from 'vitest'
import { setPictureQuality } from '../../../server/modules/identity/accounts/change-account.ts'
import { db } from '../../../server/platform/database/database.ts'
import { testDatabase } from '../../../server/testing/database.ts'
import { uploadCaller } from '../../../server/testing/direct-upload.ts'
import { startHttpServer } from '../../../server/testing/http-server.ts'
import { likeVideo } from '../../../server/testing/tus-client.ts'

await testDatabase()
const baseUrl = await startHttpServer()

let caller: Awaited<ReturnType<typeof uploadCaller>>
beforeEach(async () => {
  caller = await uploadCaller(baseUrl)
})

/** Uploads a file with this picture quality and returns what its video has stored of it. */
async function uploaded(input: object): Promise<string | null> {
  const { uploadId, uploadUrl } = await caller.create(input)
  await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(likeVideo(500)) })
  const { videoId } = await caller.get(uploadId)
  return (await db().video.findUniqueOrThrow({ where: { id: videoId } })).pictureQuality
}

it('is that of the upload, by its name or in numbers; without one, that of the account', async () => {
  expect(await uploaded({ pictureQuality: 'high' })).toBe('high')
  expect(await uploaded({ pictureQuality: { vmafMean: 94, vmafP5: 89.5 } })).toBe('94/89.5')
  expect(await uploaded({})).toBeNull()
})

it.each([
  ['an unknown name', 'best', /^Use economy, standard, high, or VMAF scores/],
  ['a mean that no picture falls short of', { vmafMean: 100, vmafP5: 90 }, /at most 98/],
  ['a percentile above the mean', { vmafMean: 90, vmafP5: 91 }, /^Must not be above the mean\.$/],
  ['a mean alone', { vmafMean: 94 }, /^Use economy, standard, high, or VMAF scores/],
  ['more than a tenth', { vmafMean: 93.25, vmafP5: 88 }, /multiple of 0.1/],
  ['another field', { vmafMean: 94, vmafP5: 89, vmafMin: 80 }, /vmafMin/],
])('refuses %s, and states what is permitted', async (_, pictureQuality, message) => {
  const { status, body } = await caller.post({ pictureQuality })
  const { code, details } = JSON.parse(body).error
  expect([status, code, details[0].message]).toEqual([400, 'INVALID_REQUEST', expect.stringMatching(message)])
  expect(details[0].path).toMatch(/^pictureQuality/)
})

it('of an account in numbers is reported in numbers to a member who changes it meanwhile', async () => {
  const { ctx } = caller
  const numbers = { vmafMean: 94, vmafP5: 89 }
  await setPictureQuality(ctx, { pictureQuality: numbers, expected: 'standard' })
  const change = setPictureQuality(ctx, { pictureQuality: 'high', expected: 'standard' })
  await expect(change).rejects.toMatchObject({ code: 'CONFLICT', extras: { details: { pictureQuality: numbers } } })
  await setPictureQuality(ctx, { pictureQuality: 'high', expected: { vmafP5: 89, vmafMean: 94 } })
  expect((await db().account.findUniqueOrThrow({ where: { id: ctx.accountId } })).pictureQuality).toBe('high')
})
