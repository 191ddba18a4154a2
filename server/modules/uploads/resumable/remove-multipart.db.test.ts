import { expect, it } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { storage } from '../../../platform/storage/storage.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { sourceKey } from '../../videos/media-keys.ts'
import { removeMultipart } from './sweep.ts'

await testDatabase()

it('the ticket of an upload that replaced a source goes without the original', async () => {
  const ctx = await makeAccount()
  const { accountId } = ctx
  const media = 'vid_media00000000000000001'
  const videoId = await makeVideo(ctx)
  const source = { sourceKey: sourceKey(media), sourceBytes: 8n, sourceName: 'lesson.mp4' }
  await db().media.create({ data: { id: media, videoId, accountId, targetQuality: '720p', ...source } })
  await storage().put(sourceKey(media), Buffer.from('original'))
  const fields = { title: 'Lesson', targetQuality: '720p', encrypted: 'true', filename: 'lesson.mp4', accountId, videoId: media }
  const id = 'upl_0000000000000000000001'
  await db().multipartUpload.create({ data: { id, accountId, storeId: 'store', metadata: fields } })
  await removeMultipart(id)
  expect(await db().multipartUpload.count()).toBe(0)
  expect(await storage().stat(sourceKey(media))).toBeDefined()
})
