import { expect, it } from 'vitest'
import { db } from '../../platform/database/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../testing/make.ts'
import { snippetValues } from './snippet-values.ts'

await testDatabase()

it('names the newest working keys and the newest video that plays, of this account alone', async () => {
  const ctx = await makeAccount()
  expect(await snippetValues(ctx)).toEqual({ liveKey: null, testKey: null, videoId: null })

  const other = await makeAccount()
  await makeKey(other)
  await makeVideo(other)
  expect(await snippetValues(ctx)).toEqual({ liveKey: null, testKey: null, videoId: null })

  const live = await makeKey(ctx)
  const revoked = await makeKey(ctx)
  await db().apiKey.update({ where: { id: revoked.id }, data: { revokedAt: new Date(0) } })
  const test = await makeKey(ctx, { environment: 'TEST' })
  const videoId = await makeVideo(ctx)
  await makeVideo(ctx, { deletedAt: new Date() })
  await makeVideo(ctx, { status: 'PENDING' })
  const values = await snippetValues(ctx)
  expect(values).toEqual({ liveKey: live.prefix, testKey: test.prefix, videoId })
  expect(values.liveKey).toHaveLength(12)
})
