import { randomBytes } from 'node:crypto'
import { type AccountCtx, requireUser } from '../../../context.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { sha256 } from '../../../platform/secrets/crypto.ts'
import { recordSecurity } from '../../audit/security.ts'
import { invalidField } from '../sessions/reauthenticate.ts'
import type { ClientInfo } from './client-ip.ts'
import { RECOVERY_LETTERS, type TotpCodeInput } from './schema.ts'
import { verifyCode } from './verify-second-factor.ts'

const CODES = 10
const LETTERS = 16

/** 16 characters of 32, 80 bits: too many to guess, so a fast hash is enough. */
const randomCode = () => Array.from(randomBytes(LETTERS), (byte) => RECOVERY_LETTERS[byte % 32]).join('')
const grouped = (code: string) => code.replace(/.{4}(?=.)/g, '$&-')

/** Replaces a user's recovery codes. Returns them formatted; afterwards, only their hashes are stored. */
export async function makeRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, randomCode)
  await tx.user.update({ where: { id: userId }, data: { recoveryCodes: codes.map((code) => sha256(code)) } })
  return codes.map(grouped)
}

/** Creates ten new recovery codes for the signed-in user and invalidates earlier ones. Errors: INVALID_REQUEST, TOO_MANY_ATTEMPTS. */
export async function renewRecoveryCodes(
  ctx: AccountCtx,
  visitor: ClientInfo,
  { code }: TotpCodeInput,
): Promise<{ recoveryCodes: string[] }> {
  const { userId } = requireUser(ctx)
  if (!(await verifyCode(visitor, userId, { kind: 'totp', code })))
    throw invalidField('code', 'This code is incorrect or was already used.')
  return db().$transaction(async (tx) => {
    const recoveryCodes = await makeRecoveryCodes(tx, userId)
    await recordSecurity(tx, { event: 'user.recovery-codes.renew', userId, from: visitor, after: { recoveryCodes: recoveryCodes.length } })
    return { recoveryCodes }
  })
}
