import { sessionCookie } from '../modules/identity/sessions/session.ts'
import { endOtherSessions, endSession, listSessions } from '../modules/identity/sessions/sessions.ts'
import { beginLink, unlinkIdentity } from '../modules/identity/sign-in/identity-link.ts'
import { changePassword } from '../modules/identity/sign-in/password-change.ts'
import { getPasswordReset, requestPasswordReset, resetPassword } from '../modules/identity/sign-in/password-reset.ts'
import { getSignInMethods } from '../modules/identity/sign-in/providers.ts'
import { renewRecoveryCodes } from '../modules/identity/sign-in/recovery-codes.ts'
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
} from '../modules/identity/sign-in/schema.ts'
import { beginTotp, confirmTotp, turnOffTotp } from '../modules/identity/sign-in/totp-setup.ts'
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
  // A link's secret must not appear in a URL, so it is sent in the body.
  getPasswordReset: openProcedure.input(resetTokenInput).mutation(({ ctx, input }) => getPasswordReset(ctx.visitor, input)),
  resetPassword: openProcedure.input(resetPasswordInput).mutation(({ ctx, input }) => resetPassword(ctx.visitor, input)),
  beginTotp: personProcedure.input(reauthenticateInput).mutation(({ ctx, input }) => beginTotp(ctx.account, ctx.visitor, input)),
  confirmTotp: personProcedure.input(totpCodeInput).mutation(({ ctx, input }) => confirmTotp(ctx.account, ctx.visitor, input)),
  turnOffTotp: procedure.input(turnOffTotpInput).mutation(({ ctx, input }) => turnOffTotp(ctx.account, ctx.visitor, input)),
  renewRecoveryCodes: procedure.input(totpCodeInput).mutation(({ ctx, input }) => renewRecoveryCodes(ctx.account, ctx.visitor, input)),
  beginLink: procedure.input(linkProviderInput).mutation(({ ctx, input }) => beginLink(ctx.account, ctx.visitor, input)),
  unlinkIdentity: procedure.input(providerInput).mutation(({ ctx, input }) => unlinkIdentity(ctx.account, input)),
})
