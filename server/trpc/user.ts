import { getPasswordReset } from '../modules/auth/get-password-reset.ts'
import { getSignInMethods } from '../modules/auth/get-sign-in-methods.ts'
import { beginLink } from '../modules/auth/identity-link.ts'
import { unlinkIdentity } from '../modules/auth/identity-unlink.ts'
import { changePassword } from '../modules/auth/password-change.ts'
import { resetPassword } from '../modules/auth/password-reset.ts'
import { requestPasswordReset } from '../modules/auth/password-reset-request.ts'
import { renewRecoveryCodes } from '../modules/auth/recovery-codes.ts'
import {
  changePasswordInput,
  linkProviderInput,
  providerInput,
  reauthenticateInput,
  requestResetInput,
  resetPasswordInput,
  resetTokenInput,
  sessionIdInput,
  totpCodeInput,
  turnOffTotpInput,
} from '../modules/auth/schema.ts'
import { sessionCookie } from '../modules/auth/session.ts'
import { endOtherSessions, endSession } from '../modules/auth/session-end.ts'
import { listSessions } from '../modules/auth/session-list.ts'
import { beginTotp } from '../modules/auth/totp-begin.ts'
import { confirmTotp } from '../modules/auth/totp-confirm.ts'
import { turnOffTotp } from '../modules/auth/totp-off.ts'
import { openProcedure, personProcedure, procedure, router } from './init.ts'

export const userRouter = router({
  security: procedure.query(({ ctx }) => getSignInMethods(ctx.account)),
  sessions: procedure.query(({ ctx }) => listSessions(ctx.account)),
  endSession: procedure.input(sessionIdInput).mutation(({ ctx, input }) => endSession(ctx.account, input)),
  endOtherSessions: procedure.mutation(({ ctx }) => endOtherSessions(ctx.account)),
  changePassword: procedure.input(changePasswordInput).mutation(async ({ ctx, input }) => {
    const { sessionId } = await changePassword(ctx.account, ctx.visitor, input)
    ctx.setCookie?.(await sessionCookie(sessionId))
  }),
  requestPasswordReset: openProcedure.input(requestResetInput).mutation(({ ctx, input }) => requestPasswordReset(ctx.visitor, input)),
  // A link's secret must not appear in an address, so it is sent in the body.
  getPasswordReset: openProcedure.input(resetTokenInput).mutation(({ ctx, input }) => getPasswordReset(ctx.visitor, input)),
  resetPassword: openProcedure.input(resetPasswordInput).mutation(({ ctx, input }) => resetPassword(ctx.visitor, input)),
  beginTotp: personProcedure.input(reauthenticateInput).mutation(({ ctx, input }) => beginTotp(ctx.account, ctx.visitor, input)),
  confirmTotp: personProcedure.input(totpCodeInput).mutation(({ ctx, input }) => confirmTotp(ctx.account, ctx.visitor, input)),
  turnOffTotp: procedure.input(turnOffTotpInput).mutation(({ ctx, input }) => turnOffTotp(ctx.account, ctx.visitor, input)),
  renewRecoveryCodes: procedure.input(totpCodeInput).mutation(({ ctx, input }) => renewRecoveryCodes(ctx.account, ctx.visitor, input)),
  beginLink: procedure.input(linkProviderInput).mutation(({ ctx, input }) => beginLink(ctx.account, ctx.visitor, input)),
  unlinkIdentity: procedure.input(providerInput).mutation(({ ctx, input }) => unlinkIdentity(ctx.account, input)),
})
