import { mailSignUp } from '../account/sign-up-mail.ts'
import { closeAllHours } from '../billing/close-hours.ts'
import { tellOwners } from '../billing/tell-owners.ts'
import type { Run } from '../infra/queue.ts'
import { reseal } from '../infra/reseal.ts'
import { storage } from '../infra/storage/storage.ts'
import type { JobName, Payload } from '../jobs.ts'
import { pruneEnds } from '../playback/prune-ends.ts'
import { pruneTraffic } from '../traffic/prune.ts'
import { rewrapContentKeys } from '../transcode/rewrap.ts'
import { transcodeVideo } from '../transcode/run.ts'
import { sweepWorkFolders } from '../transcode/work-folder.ts'
import { sweepUploads } from '../upload/sweep.ts'
import { mailPasswordReset } from '../user/password-reset-mail.ts'
import { sweepSessions } from '../user/session-sweep.ts'
import { SEALED_TOTP } from '../user/totp.ts'
import { purgeVideos, removeMedia } from '../video/purge.ts'
import { purgeEvents } from '../webhook/purge.ts'
import { SEALED_SECRETS } from '../webhook/secrets.ts'

const DAY_MS = 86_400_000

/** Job → verb. A job without a runner does not compile. */
export const runners = {
  'video.transcode': transcodeVideo,
  'upload.sweep': (_payload, signal) => sweepUploads(signal),
  'video.purge': async () => {
    await purgeVideos()
    await sweepWorkFolders()
    await storage().sweep(DAY_MS)
  },
  'key.rewrap': async (_payload, signal) => {
    await rewrapContentKeys(signal)
    await reseal(SEALED_TOTP, signal)
    for (const column of SEALED_SECRETS) await reseal(column, signal)
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
  'media.remove': removeMedia,
} satisfies { [Name in JobName]: Run<Payload<Name>> }
