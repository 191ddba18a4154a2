import { requirePermission } from '../context.ts'
import { deleteAccount } from '../modules/accounts/delete-account.ts'
import { accountSettings, setEmbedDomains } from '../modules/accounts/embed-domains.ts'
import { recordUsage } from '../modules/accounts/records.ts'
import { renameAccount } from '../modules/accounts/rename-account.ts'
import { downloadsInput, embedDomainsInput, pictureQualityInput, playsEarlyInput, renameAccountInput } from '../modules/accounts/schema.ts'
import { storageUsage } from '../modules/accounts/storage.ts'
import { setDownloads, setPictureQuality, setPlaysEarly } from '../modules/accounts/switches.ts'
import { getCurrentUser } from '../modules/auth/get-current-user.ts'
import { reauthenticate } from '../modules/auth/reauthenticate.ts'
import { beginSignUpInput, deleteAccountInput, finishSignUpInput, signUpInput } from '../modules/auth/schema.ts'
import { signUp } from '../modules/auth/sign-up.ts'
import { beginSignUp } from '../modules/auth/sign-up-begin.ts'
import { finishSignUp } from '../modules/auth/sign-up-finish.ts'
import { firstSteps } from '../modules/dashboard/first-steps.ts'
import { firstStepsDone } from '../modules/dashboard/first-steps-done.ts'
import { overview } from '../modules/dashboard/overview.ts'
import { announcementIdInput } from '../modules/operator/schema.ts'
import { dismissAnnouncement } from '../modules/operator/shown-announcements.ts'
import { thresholdsInput } from '../modules/thresholds/schema.ts'
import { setThresholds, thresholdSettings } from '../modules/thresholds/settings.ts'
import { openProcedure, personProcedure, procedure, router } from './init.ts'

export const accountRouter = router({
  signUp: openProcedure.input(signUpInput).mutation(({ ctx, input }) => signUp(ctx.visitor, input)),
  beginSignUp: openProcedure.input(beginSignUpInput).mutation(({ ctx, input }) => beginSignUp(ctx.visitor, input)),
  finishSignUp: openProcedure.input(finishSignUpInput).mutation(({ ctx, input }) => finishSignUp(ctx.visitor, input)),
  me: procedure.query(({ ctx }) => getCurrentUser(ctx.account)),
  settings: procedure.query(({ ctx }) => accountSettings(ctx.account)),
  setEmbedDomains: procedure.input(embedDomainsInput).mutation(({ ctx, input }) => setEmbedDomains(ctx.account, input)),
  setDownloads: procedure.input(downloadsInput).mutation(({ ctx, input }) => setDownloads(ctx.account, input)),
  setPlaysEarly: procedure.input(playsEarlyInput).mutation(({ ctx, input }) => setPlaysEarly(ctx.account, input)),
  setPictureQuality: procedure.input(pictureQualityInput).mutation(({ ctx, input }) => setPictureQuality(ctx.account, input)),
  thresholds: procedure.query(({ ctx }) => thresholdSettings(ctx.account)),
  setThresholds: procedure.input(thresholdsInput).mutation(({ ctx, input }) => setThresholds(ctx.account, input)),
  rename: procedure.input(renameAccountInput).mutation(({ ctx, input }) => renameAccount(ctx.account, input)),
  delete: procedure.input(deleteAccountInput).mutation(async ({ ctx, input }) => {
    // Before the password is checked: a member without the permission does not learn whether it was correct.
    requirePermission(ctx.account, 'account.delete')
    await reauthenticate(ctx.account, ctx.visitor, input.password)
    await deleteAccount(ctx.account, input)
  }),
  dismissAnnouncement: personProcedure.input(announcementIdInput).mutation(({ ctx, input }) => dismissAnnouncement(ctx.account, input)),
  overview: procedure.query(({ ctx }) => overview(ctx.account)),
  storage: procedure.query(({ ctx }) => storageUsage(ctx.account)),
  records: procedure.query(({ ctx }) => recordUsage(ctx.account)),
  firstSteps: procedure.query(({ ctx }) => firstSteps(ctx.account)),
  firstStepsDone: procedure.mutation(({ ctx }) => firstStepsDone(ctx.account)),
})
