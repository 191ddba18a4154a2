import { expect, it } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { cookieFor } from '../../../testing/sign-in.ts'
import { readSession } from './session.ts'
import { beginSession } from './sessions.ts'

await testDatabase()

it('does not end sessions when someone passes the first step of signing in again and again', async () => {
  const ctx = await makeAccount()
  const cookie = await cookieFor(ctx)
  const { userId } = ctx.actor as { userId: string }
  const firstStep = { userId, method: 'password', mfaPending: true, address: '192.0.2.9', userAgent: '', replaces: undefined }
  for (let times = 0; times < 51; times++) await beginSession(firstStep)
  expect(await readSession(cookie)).toMatchObject({ ctx: { accountId: ctx.accountId } })
  expect(await db().userSession.count({ where: { userId, mfaPending: true } })).toBe(50)
})
