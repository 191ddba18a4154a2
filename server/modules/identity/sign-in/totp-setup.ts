import { type AccountCtx, requireUser } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import { db } from '../../../platform/database/database.ts'
import { record } from '../../audit/record.ts'
import { recordSecurity } from '../../audit/security.ts'
import { email as emailSchema } from '../accounts/schema.ts'
import { invalidField, reauthenticate } from '../sessions/reauthenticate.ts'
import { endOthers } from '../sessions/sessions.ts'
import type { ClientInfo } from './client-ip.ts'
import { NO_SECOND_FACTOR } from './providers.ts'
import { makeRecoveryCodes } from './recovery-codes.ts'
import type { ReauthenticateInput, TotpCodeInput, TurnOffTotpInput } from './schema.ts'
import { newTotp, stepOf } from './totp.ts'
import { throttledCode, verifyCode } from './verify-second-factor.ts'

/**
 * Creates a secret for the signed-in user's authenticator app: in base32, and as the URI for its QR code. Active once `confirmTotp` has
 * checked a code. Errors: as `reauthenticate`, CONFLICT if the second factor is already on.
 */
export async function beginTotp(
  ctx: AccountCtx,
  visitor: ClientInfo,
  { password }: ReauthenticateInput,
): Promise<{ secret: string; uri: string }> {
  const { userId, email } = requireUser(ctx)
  await reauthenticate(ctx, visitor, password)
  const { sealed, secret, uri } = newTotp(userId, email)
  await db().$transaction(async (tx) => {
    const data = { totpSecret: sealed, totpLastStep: null }
    const { count } = await tx.user.updateMany({ where: { id: userId, totpConfirmedAt: null }, data })
    if (count === 0) throw new ServiceError('CONFLICT', { message: 'Two-factor sign-in is already enabled. Disable it first.' })
    await record(tx, ctx, { action: 'user.totp.begin', subject: userId })
  })
  return { secret, uri }
}

/**
 * Turns the second factor on, once a code proves that the app has the secret. Returns ten recovery codes, shown only now. Ends other
 * sessions, which started without it. Errors: INVALID_REQUEST, CONFLICT if no setup was started or it is on, TOO_MANY_ATTEMPTS.
 */
export async function confirmTotp(ctx: AccountCtx, visitor: ClientInfo, { code }: TotpCodeInput): Promise<{ recoveryCodes: string[] }> {
  const { userId, sessionId } = requireUser(ctx)
  const { totpSecret, totpConfirmedAt } = await db().user.findUniqueOrThrow({ where: { id: userId } })
  if (!totpSecret || totpConfirmedAt) throw new ServiceError('CONFLICT', { message: 'Start setting up two-factor sign-in again.' })
  const step = stepOf(code, totpSecret, userId)
  const right = await throttledCode(userId, { address: visitor.address, known: undefined }, async () => step !== undefined)
  if (!right || step === undefined) throw invalidField('code', 'Incorrect code. Enter the current code from your app.')
  return db().$transaction(async (tx) => {
    const turnedOn = await tx.$executeRaw`
      UPDATE app_user SET totp_confirmed_at = service_now(), totp_last_step = ${step}
      WHERE id = ${userId} AND totp_confirmed_at IS NULL AND totp_secret = ${totpSecret}`
    if (turnedOn === 0) throw new ServiceError('CONFLICT', { message: 'Start setting up two-factor sign-in again.' })
    const recoveryCodes = await makeRecoveryCodes(tx, userId)
    await endOthers(tx, userId, sessionId)
    await recordSecurity(tx, { event: 'user.totp.on', userId, from: visitor, after: { recoveryCodes: recoveryCodes.length } })
    return { recoveryCodes }
  })
}

/**
 * Turns the second factor off, with the password and either kind of code. Errors: as `reauthenticate`, INVALID_REQUEST, TOO_MANY_ATTEMPTS.
 */
export async function turnOffTotp(ctx: AccountCtx, visitor: ClientInfo, { password, code }: TurnOffTotpInput): Promise<void> {
  const { userId } = requireUser(ctx)
  await reauthenticate(ctx, visitor, password)
  if (!(await verifyCode(visitor, userId, code))) throw invalidField('code', 'This code is incorrect or was already used.')
  await db().$transaction(async (tx) => {
    await tx.user.update({ where: { id: userId }, data: NO_SECOND_FACTOR })
    await recordSecurity(tx, { event: 'user.totp.off', userId, from: visitor })
  })
}

/**
 * Removes the second factor of a user who lost it and the recovery codes, and ends all their sessions. Only for the operator, who has
 * verified the user's identity. Recorded in the audit log of each of their accounts. Errors: INVALID_REQUEST for an invalid email address,
 * NOT_FOUND for an unknown one, CONFLICT if they have no second factor.
 */
export async function resetTotp(input: { email: string }): Promise<void> {
  const email = emailSchema.safeParse(input.email)
  if (!email.success) throw new ServiceError('INVALID_REQUEST', { message: email.error.issues[0]?.message })
  await db().$transaction(async (tx) => {
    const user = await tx.user.findUnique({ where: { email: email.data }, select: { id: true } })
    if (!user) throw new ServiceError('NOT_FOUND', { message: `No user has the email address ${email.data}.` })
    const { id: userId } = user
    const { count } = await tx.user.updateMany({ where: { id: userId, totpConfirmedAt: { not: null } }, data: NO_SECOND_FACTOR })
    if (count === 0) throw new ServiceError('CONFLICT', { message: `${email.data} has not enabled two-factor sign-in.` })
    await endOthers(tx, userId, undefined)
    await recordSecurity(tx, { event: 'user.totp.off', userId, by: { kind: 'operator' } })
  })
}
