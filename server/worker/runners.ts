import { mailSignUp } from '../account/sign-up-mail.ts'
import { foldStorage } from '../account/storage.ts'
import { mailSecurityNotices } from '../audit/security-mail.ts'
import { closeSecurityHours } from '../audit/security-tally.ts'
import { closeAllHours } from '../billing/close-hours.ts'
import { tellOwners } from '../billing/tell-owners.ts'
import { sendLetter } from '../infra/mail.ts'
import type { Run } from '../infra/queue.ts'
import { reseal, sayWhatMayGo } from '../infra/reseal.ts'
import { storage } from '../infra/storage/storage.ts'
import type { JobName, Payload } from '../jobs.ts'
import { pruneEnds } from '../playback/prune-ends.ts'
import { SEALED_SIGNING_KEYS, tendSigningKeys } from '../receipt/signing-keys.ts'
import { mailInvitation } from '../team/mail-invitation.ts'
import { pruneTraffic } from '../traffic/prune.ts'
import { rewrapContentKeys } from '../transcode/rewrap.ts'
import { sweepWorkFolders } from '../transcode/work-folder.ts'
import { sweepUploads } from '../upload/sweep.ts'
import { mailPasswordReset } from '../user/password-reset-mail.ts'
import { sweepSessions } from '../user/session-sweep.ts'
import { SEALED_TOTP } from '../user/totp.ts'
import { measurePictures } from '../video/measure.ts'
import { purgeVideos, removeMedia } from '../video/purge.ts'
import { purgeEvents } from '../webhook/purge.ts'
import { SEALED_SECRETS } from '../webhook/secrets.ts'

const DAY_MS = 86_400_000

/** Job → verb. A job without a runner does not compile. */
export const runners = {
  'upload.sweep': (_payload, signal) => sweepUploads(signal),
  'video.purge': async () => {
    await purgeVideos()
    await sweepWorkFolders()
    await storage().sweep(DAY_MS)
  },
  'storage.count': async (_payload, signal) => {
    await measurePictures(signal)
    await foldStorage()
  },
  'key.rewrap': async (_payload, signal) => {
    const all = [await rewrapContentKeys(signal)]
    for (const column of [SEALED_TOTP, ...SEALED_SECRETS, SEALED_SIGNING_KEYS]) all.push(await reseal(column, signal))
    sayWhatMayGo(all)
    await tendSigningKeys()
  },
  'session.sweep': async () => {
    await sweepSessions()
    await pruneEnds()
  },
  'webhook.purge': async (_payload, signal) => {
    await purgeEvents(signal)
  },
  'traffic.prune': (_payload, signal) => pruneTraffic(signal),
  'billing.close': async (_payload, signal) => {
    await closeAllHours(signal)
  },
  'billing.tell': async (_payload, signal) => {
    await tellOwners(signal)
  },
  'account.sign-up-mail': mailSignUp,
  'user.reset-mail': mailPasswordReset,
  'security.mail': async (_payload, signal) => {
    await mailSecurityNotices(signal)
  },
  'security.close': closeSecurityHours,
  'team.invitation-mail': mailInvitation,
  'mail.send': sendLetter,
  'media.remove': removeMedia,
} satisfies { [Name in JobName]: Run<Payload<Name>> }
