import { expect, it } from 'vitest'
import type { AccountCtx } from '../context.ts'
import { CHANGES } from '../modules/auth/limit-change-rate.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeMember } from '../testing/make.ts'
import { appRouter } from './root.ts'

await testDatabase()

const callAs = (session: AccountCtx) =>
  appRouter.createCaller({ visitor: { address: '192.0.2.1' }, requestId: 'req_test', session, sameOrigin: true })

it('refuses changes of one user beyond their pace, but neither their reads nor the changes of another member', async () => {
  const owner = await makeAccount()
  const member = await makeMember(owner, 'OWNER')
  const loop = callAs(member)
  const revoke = () => loop.key.revoke({ keyId: 'key_missing' }).catch(({ code }: { code: string }) => code)
  const codes: unknown[] = []
  // The allowance grows while the loop runs, so that a few more calls use it up.
  while (codes.at(-1) !== 'TOO_MANY_REQUESTS' && codes.length < 10 * CHANGES.burst) codes.push(await revoke())
  expect(codes.slice(0, CHANGES.burst)).toEqual(new Array(CHANGES.burst).fill('NOT_FOUND'))
  expect(codes.at(-1)).toBe('TOO_MANY_REQUESTS')
  expect((await loop.key.list()).length).toBe(0)
  await expect(callAs(owner).key.revoke({ keyId: 'key_missing' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
