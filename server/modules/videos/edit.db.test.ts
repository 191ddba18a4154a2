import { expect, it } from 'vitest'
import { db } from '../../platform/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeMember, makeVideo } from '../../testing/make.ts'
import { setEmbedDomains } from '../accounts/embed-domains.ts'
import { renameAccount } from '../accounts/rename-account.ts'
import { editVideo } from './edit.ts'

await testDatabase()

const read = (id: string) => db().video.findUniqueOrThrow({ where: { id }, select: { title: true, description: true } })

it('editVideo refuses to overwrite a concurrent change that the editor has not seen', async () => {
  const one = await makeAccount()
  const other = await makeMember(one, 'DEVELOPER')
  const videoId = await makeVideo(one, { title: 'Draft', description: null })
  const seen = { title: 'Draft', description: null }
  await editVideo(other, { videoId, title: 'Theirs', description: 'By them', seen })
  const mine = { videoId, title: 'Mine', description: null }
  await expect(editVideo(one, { ...mine, seen })).rejects.toMatchObject({
    code: 'CONFLICT',
    extras: { details: { title: 'Theirs', description: 'By them' } },
  })
  expect(await read(videoId)).toEqual({ title: 'Theirs', description: 'By them' })
  // Saved once the current values are known; saving the stored values again is no conflict.
  await editVideo(one, { ...mine, seen: { title: 'Theirs', description: 'By them' } })
  await editVideo(other, { ...mine, seen })
  expect(await read(videoId)).toEqual({ title: 'Mine', description: null })
})

it('editVideo accepts one of many concurrent edits of the same version', async () => {
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx, { title: 'Draft', description: null })
  const seen = { title: 'Draft', description: null }
  const tries = Array.from({ length: 8 }, (_, at) => editVideo(ctx, { videoId, title: `Version ${at}`, description: null, seen }))
  const ended = await Promise.allSettled(tries)
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await db().auditEntry.count({ where: { subject: videoId } })).toBe(1)
})

it("the account's name and its embed domains refuse unseen changes as well", async () => {
  const ctx = await makeAccount()
  await renameAccount(ctx, { name: 'Theirs', seen: 'Test' })
  await expect(renameAccount(ctx, { name: 'Mine', seen: 'Test' })).rejects.toMatchObject({
    code: 'CONFLICT',
    extras: { details: { name: 'Theirs' } },
  })
  await setEmbedDomains(ctx, { domains: ['theirs.example'], seen: [] })
  await expect(setEmbedDomains(ctx, { domains: ['mine.example'], seen: [] })).rejects.toMatchObject({
    code: 'CONFLICT',
    extras: { details: { domains: ['theirs.example'] } },
  })
  await setEmbedDomains(ctx, { domains: ['mine.example'], seen: ['theirs.example'] })
})
