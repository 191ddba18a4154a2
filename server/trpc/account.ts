import { accountSettings, setEmbedDomains } from '../account/embed-domains.ts'
import { me } from '../account/me.ts'
import { overview } from '../account/overview.ts'
import { embedDomainsInput, signUpInput } from '../account/schema.ts'
import { signUp } from '../account/sign-up.ts'
import { openProcedure, procedure, router } from './init.ts'

export const accountRouter = router({
  signUp: openProcedure.input(signUpInput).mutation(({ ctx, input }) => signUp(ctx.visitor, input)),
  me: procedure.query(({ ctx }) => me(ctx.account)),
  settings: procedure.query(({ ctx }) => accountSettings(ctx.account)),
  setEmbedDomains: procedure.input(embedDomainsInput).mutation(({ ctx, input }) => setEmbedDomains(ctx.account, input)),
  overview: procedure.query(({ ctx }) => overview(ctx.account)),
})
