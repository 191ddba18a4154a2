import { expect, it } from 'vitest'
import { db } from '../../platform/database/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeMember, makeVideo } from '../../testing/make.ts'
import { renameAccount, setEmbedDomains } from '../identity/accounts/change-account.ts'
import { editVideo } from './edit-video.ts'

await testDatabase()

const read = (id: string) => db().video.findUniqueOrThrow({ where: { id }, select: { title: true, description: true } })

it('editVideo refuses to overwrite a concurrent change that the editor has not seen', async () => {
  const one = await makeAccount()
  const other = await makeMember(one, 'DEVELOPER')
  const videoId = await makeVideo(one, { title: 'Draft', description: null })
  const expected = { title: 'Draft', description: null }
  await editVideo(other, { videoId, title: 'Theirs', description: 'By them', expected })
  const mine = { videoId, title: 'Mine', description: null }
  await expect(editVideo(one, { ...mine, expected })).rejects.toMatchObject({
    code: 'CONFLICT',
    extras: { details: { title: 'Theirs', description: 'By them' } },
  })
  expect(await read(videoId)).toEqual({ title: 'Theirs', description: 'By them' })
  // Saved once the current values are known; saving the stored values again is no conflict.
  await editVideo(one, { ...mine, expected: { title: 'Theirs', description: 'By them' } })
  await editVideo(other, { ...mine, expected })
  expect(await read(videoId)).toEqual({ title: 'Mine', description: null })
})

it('editVideo accepts one of many concurrent edits of the same version', async () => {
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx, { title: 'Draft', description: null })
  const expected = { title: 'Draft', description: null }
  const tries = Array.from({ length: 8 }, (_, at) => editVideo(ctx, { videoId, title: `Version ${at}`, description: null, expected }))
  const ended = await Promise.allSettled(tries)
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await db().auditEntry.count({ where: { subject: videoId } })).toBe(1)
})

it("the account's name and its embed domains refuse unseen changes as well", async () => {
  const ctx = await makeAccount()
  await renameAccount(ctx, { name: 'Theirs', expected: 'Test' })
  await expect(renameAccount(ctx, { name: 'Mine', expected: 'Test' })).rejects.toMatchObject({
    code: 'CONFLICT',
    extras: { details: { name: 'Theirs' } },
  })
  await setEmbedDomains(ctx, { domains: ['theirs.example'], expected: [] })
  await expect(setEmbedDomains(ctx, { domains: ['mine.example'], expected: [] })).rejects.toMatchObject({
    code: 'CONFLICT',
    extras: { details: { domains: ['theirs.example'] } },
  })
  await setEmbedDomains(ctx, { domains: ['mine.example'], expected: ['theirs.example'] })
})
