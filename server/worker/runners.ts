import type { JobName, Payload } from '../jobs.ts'
import { notifyThresholds } from '../modules/access/thresholds/notify.ts'
import { LOG_DAYS } from '../modules/analytics/limits.ts'
import { pruneTraffic } from '../modules/analytics/prune.ts'
import { recordStoredDay } from '../modules/analytics/stored-days.ts'
import { maintainSigningKeys, SEALED_SIGNING_KEYS } from '../modules/audit/receipts/signing-keys.ts'
import { closeSecurityHours } from '../modules/audit/security-counters.ts'
import { mailSecurityNotices } from '../modules/audit/security-mail.ts'
import { endOverdueViews } from '../modules/backoffice/support/owner-view.ts'
import { copyErasures, repeatLostErasures } from '../modules/backups/erasures.ts'
import { runDueBackup } from '../modules/backups/schedule.ts'
import { closeAllHours } from '../modules/billing/close-hours.ts'
import { sendBillingAlerts } from '../modules/billing/send-billing-alerts.ts'
import { pruneBulkActions } from '../modules/dashboard/library/read-bulk.ts'
import { runBulkAction } from '../modules/dashboard/library/run-bulk.ts'
import { evictDownloads } from '../modules/delivery/downloads/evict-downloads.ts'
import { prepareDownload } from '../modules/delivery/downloads/prepare-download.ts'
import { pruneEnds } from '../modules/delivery/sessions/ends.ts'
import { pruneKeySessions } from '../modules/delivery/sessions/key-sessions.ts'
import { pruneLiveSessions } from '../modules/delivery/sessions/live-sessions.ts'
import { pruneViewerSessions } from '../modules/delivery/sessions/viewer-places.ts'
import { pruneShareLinks } from '../modules/delivery/sharing/links.ts'
import { pruneTokenRequests } from '../modules/delivery/tokens/issue-once.ts'
import { pruneViewers } from '../modules/delivery/viewers/viewers.ts'
import { purgeAccounts } from '../modules/identity/accounts/purge-account.ts'
import { mergeStorageRows } from '../modules/identity/accounts/storage.ts'
import { mailInvitation } from '../modules/identity/members/invite.ts'
import { pruneInvitations } from '../modules/identity/members/open-invitation.ts'
import { sweepSessions } from '../modules/identity/sessions/sessions.ts'
import { mailPasswordReset } from '../modules/identity/sign-in/password-reset.ts'
import { mailSignUp } from '../modules/identity/sign-in/sign-up.ts'
import { SEALED_TOTP } from '../modules/identity/sign-in/totp.ts'
import { SEALED_VIEWER_KEY, SEALED_VIEWERS } from '../modules/identity/viewers/reference.ts'
import { removeFormerMedia } from '../modules/media/remove-former-media.ts'
import { removeDueMedia } from '../modules/media/remove-media.ts'
import { scrubDue } from '../modules/media/scheduled-scrub.ts'
import { rewrapContentKeys } from '../modules/transcoding/encode/content-key.ts'
import { sweepWorkFolders } from '../modules/transcoding/encode/work-folder.ts'
import { repairDue } from '../modules/transcoding/repair.ts'
import { beginReencode } from '../modules/transcoding/tasks/reencode.ts'
import { beginDue, noteWatched } from '../modules/transcoding/watched-encodings.ts'
import { expireDirectUploads } from '../modules/uploads/direct/expire-direct.ts'
import { SEALED_IMPORT_URLS } from '../modules/uploads/import/import-rows.ts'
import { runImport } from '../modules/uploads/import/import-run.ts'
import { sweepUploads } from '../modules/uploads/resumable/sweep.ts'
import { indexCaptions } from '../modules/videos/captions/index-captions.ts'
import { purgeCdn } from '../modules/videos/cdn-purge.ts'
import { purgeVideos } from '../modules/videos/remove.ts'
import { purgeEvents } from '../modules/webhooks/delivery/purge.ts'
import { SEALED_SECRETS } from '../modules/webhooks/endpoints/secrets.ts'
import { reportUnusedSecret, reseal } from '../platform/database/reseal.ts'
import { despiteFailures } from '../platform/despite-failures.ts'
import type { Run } from '../platform/job-queue.ts'
import { sendMailOrThrow } from '../platform/mail.ts'
import { storage } from '../platform/storage/storage.ts'

const DAY_MS = 86_400_000

const sweepStorage = () => storage().sweep(DAY_MS)
const sweepViewerSessions = (signal: AbortSignal) => pruneViewerSessions(LOG_DAYS, signal)

/** Runs independent steps of a job. One that fails does not hold up the others; the job then fails. */
const inTurn = (signal: AbortSignal, ...steps: ((signal: AbortSignal) => Promise<unknown>)[]): Promise<void> =>
  despiteFailures(steps, { signal, facts: ({ name }) => ({ step: name }) }, (step) => step(signal))

/** Maps each job to its use case. A job without a runner is a compile error. */
export const runners = {
  'upload.sweep': (_payload, signal) => sweepUploads(signal),
  'upload.import': ({ uploadId }, signal) => runImport(uploadId, signal),
  'upload.expire': (_payload, signal) => expireDirectUploads(signal),
  'video.reencode': async () => void ((await beginReencode()) || (await beginDue())),
  'video.watched': noteWatched,
  'video.purge': (_payload, signal) =>
    inTurn(signal, purgeVideos, removeFormerMedia, evictDownloads, pruneBulkActions, sweepWorkFolders, sweepStorage),
  'download.prepare': prepareDownload,
  'library.bulk': ({ actionId }, signal) => runBulkAction(actionId, signal),
  'storage.count': (_payload, signal) => inTurn(signal, mergeStorageRows, recordStoredDay),
  'key.rewrap': async (_payload, signal) => {
    const all = [await rewrapContentKeys(signal)]
    const ofViewers = [SEALED_VIEWER_KEY, SEALED_VIEWERS]
    for (const column of [SEALED_TOTP, ...SEALED_SECRETS, SEALED_SIGNING_KEYS, SEALED_IMPORT_URLS, ...ofViewers])
      all.push(await reseal(column, signal))
    reportUnusedSecret(all)
    await maintainSigningKeys()
  },
  'session.sweep': (_payload, signal) =>
    inTurn(
      signal,
      ...[sweepSessions, pruneEnds, pruneKeySessions, sweepViewerSessions, pruneViewers, pruneTokenRequests, pruneShareLinks],
      pruneInvitations,
    ),
  'support.end-views': () => endOverdueViews(),
  'live-session.sweep': () => pruneLiveSessions(),
  'webhook.purge': async (_payload, signal) => {
    await purgeEvents(signal)
  },
  'traffic.prune': () => pruneTraffic(),
  'billing.close': async (_payload, signal) => {
    await closeAllHours(signal)
  },
  'billing.tell': (_payload, signal) => inTurn(signal, sendBillingAlerts, notifyThresholds),
  'account.sign-up-mail': mailSignUp,
  'user.reset-mail': mailPasswordReset,
  'security.mail': async (_payload, signal) => {
    await mailSecurityNotices(signal)
  },
  'security.close': closeSecurityHours,
  'team.invitation-mail': mailInvitation,
  'mail.send': sendMailOrThrow,
  'account.purge': (_payload, signal) => purgeAccounts(signal),
  'erasure.copy': (_payload, signal) => copyErasures(signal),
  'erasure.repeat': (_payload, signal) => repeatLostErasures(signal),
  'captions.index': (_payload, signal) => indexCaptions(signal),
  'backup.run': (_payload, signal) => runDueBackup(signal),
  'cdn.purge': purgeCdn,
  'media.repair': (_payload, signal) => repairDue(signal),
  'media.scrub': (_payload, signal) => scrubDue(signal),
  'media.remove': (_payload, signal) => removeDueMedia(signal),
} satisfies { [Name in JobName]: Run<Payload<Name>> }
