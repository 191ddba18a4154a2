import { requirePermission } from '../context.ts'
import { thresholdsInput } from '../modules/access/thresholds/schema.ts'
import { setThresholds, thresholdSettings } from '../modules/access/thresholds/settings.ts'
import { dismissAnnouncement } from '../modules/backoffice/operator/announcements.ts'
import { announcementIdInput } from '../modules/backoffice/operator/schema.ts'
import { firstSteps, firstStepsDone } from '../modules/dashboard/first-steps.ts'
import { overview } from '../modules/dashboard/overview.ts'
import {
  accountSettings,
  renameAccount,
  setAutoCaptions,
  setDownloads,
  setEmbedDomains,
  setPictureQuality,
  setPlaysEarly,
  setViewerSettings,
} from '../modules/identity/accounts/change-account.ts'
import { deleteAccount } from '../modules/identity/accounts/delete-account.ts'
import { recordUsage } from '../modules/identity/accounts/records.ts'
import {
  autoCaptionsInput,
  downloadsInput,
  embedDomainsInput,
  pictureQualityInput,
  playsEarlyInput,
  renameAccountInput,
  viewerSettingsInput,
} from '../modules/identity/accounts/schema.ts'
import { storageUsage } from '../modules/identity/accounts/storage.ts'
import { getCurrentUser } from '../modules/identity/sessions/get-current-user.ts'
import { reauthenticate } from '../modules/identity/sessions/reauthenticate.ts'
import { beginSignUpInput, deleteAccountInput, finishSignUpInput, signUpInput } from '../modules/identity/sign-in/schema.ts'
import { beginSignUp, finishSignUp, signUp } from '../modules/identity/sign-in/sign-up.ts'
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
  setAutoCaptions: procedure.input(autoCaptionsInput).mutation(({ ctx, input }) => setAutoCaptions(ctx.account, input)),
  setViewers: procedure.input(viewerSettingsInput).mutation(({ ctx, input }) => setViewerSettings(ctx.account, input)),
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
