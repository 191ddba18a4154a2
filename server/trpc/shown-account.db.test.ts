import { expect, it } from 'vitest'
import { db } from '../platform/database/database.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeVideo } from '../testing/make.ts'
import { appRouter } from './root.ts'

await testDatabase()

it('changes and shows nothing for a page that still shows another account', async () => {
  const [here, before] = [await makeAccount(), await makeAccount()]
  const call = (shownAccount: string | undefined) =>
    appRouter.createCaller({ visitor: { address: '' }, requestId: 'req_test', session: here, sameOrigin: true, shownAccount } as never)
  const videoId = await makeVideo(here)
  const stale = call(before.accountId)
  for (const asked of [stale.video.remove({ videoId }), stale.key.list(), stale.account.me()])
    await expect(asked).rejects.toMatchObject({ code: 'CONFLICT', cause: { extras: { details: { reason: 'account' } } } })
  expect(await db().video.findUniqueOrThrow({ where: { id: videoId } })).toMatchObject({ deletedAt: null })
  await call(here.accountId).video.remove({ videoId })
  await call(undefined).video.restore({ videoId })
})
