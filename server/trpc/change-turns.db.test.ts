import { expect, it } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { asCaller } from '../platform/caller.ts'
import { services } from '../platform/container.ts'
import { db, pool } from '../platform/database.ts'
import { CHANGES } from '../platform/request-turns.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey, makeMember, makeVideo } from '../testing/make.ts'
import { appRouter } from './root.ts'

await testDatabase()

const callAs = (session: AccountCtx) =>
  appRouter.createCaller({ visitor: { address: '192.0.2.1' }, requestId: 'req_test', session, sameOrigin: true })

const as = <Result>({ accountId, actor }: AccountCtx, work: () => Promise<Result>) =>
  asCaller({ accountId, member: actor.kind === 'user' ? actor.userId : '' }, work)

it('changes of one thing wait for each other without a connection, and those beyond the queue are refused', async () => {
  const owner = await makeAccount()
  const videoId = await makeVideo(owner)
  const blocker = await pool().connect()
  await blocker.query('BEGIN')
  await blocker.query('SELECT 1 FROM video WHERE id = $1 FOR UPDATE', [videoId])
  const rename = (title: string) => as(owner, () => callAs(owner).video.update({ videoId, title, expected: undefined as never }))
  const asked = Array.from({ length: CHANGES.queue + 2 }, (_, at) => rename(`title ${at}`).catch(({ code }: { code: string }) => code))
  expect(await asked.at(-1)).toBe('TOO_MANY_REQUESTS')
  // One waits for the row; the connections of its account's share are free for the account's other requests.
  await expect.poll(() => services().connectionTurns.load(owner.accountId)).toEqual({ running: 1, waiting: 0 })
  await blocker.query('ROLLBACK')
  blocker.release()
  expect(await asked[0]).not.toBe('TOO_MANY_REQUESTS')
  await Promise.all(asked)
})

it('a member revokes a key while another member fills the queue of the account', async () => {
  const owner = await makeAccount()
  const member = await makeMember(owner, 'OWNER')
  const { id } = await makeKey(owner)
  const order: string[] = []
  const loop = Array.from({ length: 50 }, () =>
    as(member, () => callAs(member).key.rename({ keyId: 'key_missing', name: 'x', expected: undefined as never }))
      .catch(() => {})
      .then(() => order.push('loop')),
  )
  await as(owner, () => callAs(owner).key.revoke({ keyId: id })).then(() => order.push('revoked'))
  expect(await db().apiKey.findUnique({ where: { id } })).toMatchObject({ revokedAt: expect.any(Date) })
  await Promise.all(loop)
  expect(order.indexOf('revoked')).toBeLessThan(20)
})
