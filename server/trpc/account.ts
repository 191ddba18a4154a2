import { deleteAccount } from '../account/delete.ts'
import { accountSettings, setEmbedDomains } from '../account/embed-domains.ts'
import { firstSteps } from '../account/first-steps.ts'
import { firstStepsDone } from '../account/first-steps-done.ts'
import { me } from '../account/me.ts'
import { overview } from '../account/overview.ts'
import { renameAccount } from '../account/rename.ts'
import { beginSignUpInput, embedDomainsInput, finishSignUpInput, renameAccountInput, signUpInput } from '../account/schema.ts'
import { signUp } from '../account/sign-up.ts'
import { beginSignUp } from '../account/sign-up-begin.ts'
import { finishSignUp } from '../account/sign-up-finish.ts'
import { storageUsage } from '../account/storage.ts'
import { demand } from '../context.ts'
import { prove } from '../user/prove.ts'
import { deleteAccountInput } from '../user/schema.ts'
import { openProcedure, procedure, router } from './init.ts'

export const accountRouter = router({
  signUp: openProcedure.input(signUpInput).mutation(({ ctx, input }) => signUp(ctx.visitor, input)),
  beginSignUp: openProcedure.input(beginSignUpInput).mutation(({ ctx, input }) => beginSignUp(ctx.visitor, input)),
  finishSignUp: openProcedure.input(finishSignUpInput).mutation(({ ctx, input }) => finishSignUp(ctx.visitor, input)),
  me: procedure.query(({ ctx }) => me(ctx.account)),
  settings: procedure.query(({ ctx }) => accountSettings(ctx.account)),
  setEmbedDomains: procedure.input(embedDomainsInput).mutation(({ ctx, input }) => setEmbedDomains(ctx.account, input)),
  rename: procedure.input(renameAccountInput).mutation(({ ctx, input }) => renameAccount(ctx.account, input)),
  delete: procedure.input(deleteAccountInput).mutation(async ({ ctx, input }) => {
    // Before the password is asked for: who may not delete the account is not told whether it was right.
    demand(ctx.account, 'account.delete')
    await prove(ctx.account, ctx.visitor, input.password)
    await deleteAccount(ctx.account, input)
  }),
  overview: procedure.query(({ ctx }) => overview(ctx.account)),
  storage: procedure.query(({ ctx }) => storageUsage(ctx.account)),
  firstSteps: procedure.query(({ ctx }) => firstSteps(ctx.account)),
  firstStepsDone: procedure.mutation(({ ctx }) => firstStepsDone(ctx.account)),
})
