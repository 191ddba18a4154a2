import { expect, it } from 'vitest'
import { requireUser } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { cheapHash } from '../../../testing/cheap-hash.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { joinAsNewUser } from '../members/open-invitation.ts'
import { changePassword } from './password-change.ts'
import { resetPassword } from './password-reset.ts'
import { finishSignUp, signUp } from './sign-up.ts'

await testDatabase()
const OLD = 'correct horse battery'
const token = 'b'.repeat(32)
const visitor = { address: '192.0.2.4' }
const later = new Date(Date.now() + 3_600_000)

async function makeLink(purpose: string, email: string): Promise<void> {
  const link = { hash: Buffer.from(sha256(token)), purpose, email, expiresAt: later }
  await db().emailLink.upsert({ where: { hash: link.hash }, create: link, update: link })
}

/** Every way to set a password; each resolves once the password is set. */
const METHODS: Record<string, (password: string) => Promise<unknown>> = {
  'signing up': (password) => signUp(visitor, { email: 'ada@example.com', password }),
  'finishing to sign up': async (password) => {
    await makeLink('sign-up', 'eve@example.com')
    return finishSignUp(visitor, { token, password })
  },
  'resetting it': async (password) => {
    await makeLink('password-reset', requireUser(await makeAccount()).email)
    return resetPassword(visitor, { token, password })
  },
  'changing it': async (password) => {
    const ctx = await makeAccount()
    const userId = ctx.actor.kind === 'user' ? ctx.actor.userId : ''
    await db().user.update({ where: { id: userId }, data: { passwordHash: cheapHash(OLD) } })
    return changePassword(ctx, visitor, { current: OLD, password })
  },
  'joining by invitation': async (password) => {
    const { accountId } = await makeAccount()
    await query(
      'invite',
      `INSERT INTO invitation (id, account_id, email, role, token_hash, invited_by_email, created_at, expires_at)
        VALUES ($1, $2, $1 || '@example.com', 'VIEWER', $3, 'owner@example.com', service_now(), service_now() + interval '1 day')
        ON CONFLICT DO NOTHING`,
      [`inv_${accountId}`.toLowerCase(), accountId, sha256(accountId.padEnd(32))],
    )
    return joinAsNewUser(visitor, { token: accountId.padEnd(32), password })
  },
}

it.each(Object.entries(METHODS))('%s refuses a common password at its field, and accepts another', async (_, choose) => {
  await expect(choose('password123')).rejects.toMatchObject({ code: 'INVALID_REQUEST', extras: { details: [{ path: 'password' }] } })
  await choose('another horse battery')
})
