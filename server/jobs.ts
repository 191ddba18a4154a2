import { z } from 'zod'

const HOUR = 3_600

interface Limits {
  retryLimit?: number
  retryDelay?: number
  expireInSeconds?: number
}

/** Declares a job without a payload that runs at the times in `cron`. Its next run takes the place of a retry. */
const scheduled = <Name extends string>(name: Name, cron: string, limits: Limits = {}) => ({
  ...{ name, cron, payload: z.object({}), retryLimit: 0, retryDelay: 0, expireInSeconds: HOUR },
  ...limits,
})

/** Every kind of job, with its payload, retries and time limit. The runners are in server/worker/runners.ts. */
export const JOBS = {
  /** Completes uploads whose completion was interrupted, and removes abandoned ones. */
  'upload.sweep': scheduled('upload.sweep', '7 * * * *'),
  /** Ends expired API uploads. */
  'upload.expire': scheduled('upload.expire', '* * * * *'),
  /** Downloads the file of an import. Failures of the download enqueue the next attempt; retries are for outages and killed workers. */
  'upload.import': {
    name: 'upload.import',
    payload: z.object({ uploadId: z.string() }),
    retryLimit: 40,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 600,
    expireInSeconds: 23 * HOUR,
  },
  /** Creates the MP4 of a rendition for download. It counts its own failures; retries beyond them are for outages and killed workers. */
  'download.prepare': {
    name: 'download.prepare',
    payload: z.object({ videoId: z.string(), quality: z.string(), codec: z.enum(['h264', 'av1']).optional() }),
    retryLimit: 10,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 6 * HOUR,
  },
  /** Applies an action to many videos. Its rows are the queue: a repeated run continues with the pending ones. */
  'library.bulk': {
    name: 'library.bulk',
    payload: z.object({ actionId: z.string() }),
    retryLimit: 40,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 6 * HOUR,
  },
  /** While nothing else is being transcoded, starts re-encoding the next waiting video, or one that is watched enough to be worth it. */
  'video.reencode': scheduled('video.reencode', '* * * * *', { expireInSeconds: 60 }),
  /**
   * Deletes the rows of videos deleted more than 7 days ago and of former media. Removes what dead workers left behind.
   */
  'video.purge': scheduled('video.purge', '37 * * * *'),
  /** Folds each account's storage changes into one row, and records once a day what each account stores. */
  'storage.count': scheduled('storage.count', '22 * * * *'),
  /** After a rotation, seals stored secrets under the first master key. Replaces the receipt signing key when it is due. */
  'key.rewrap': scheduled('key.rewrap', '17 * * * *'),
  /** Deletes expired sessions and emailed links, obsolete ends of playback, and ended share links and invitations. */
  'session.sweep': scheduled('session.sweep', '47 * * * *'),
  /** Ends owner views that expired, or whose session or role ended. */
  'support.end-views': scheduled('support.end-views', '* * * * *'),
  /** Stops counting playback sessions as viewers after 15 minutes without activity. */
  'live-session.sweep': scheduled('live-session.sweep', '* * * * *'),
  /** Deletes webhook events past their retention, and samples after 7 days. */
  'webhook.purge': scheduled('webhook.purge', '57 * * * *'),
  /** Creates the next partitions of the traffic tables, and drops those past their retention. */
  'traffic.prune': scheduled('traffic.prune', '27 * * * *'),
  /** Writes completed hours of usage to the ledger a minute after the hour, and retries if that fails. */
  'billing.close': scheduled('billing.close', '1 * * * *', { retryLimit: 3, retryDelay: 60 }),
  /** Emails owners when credit is low or a cap is reached, and reports the thresholds that accounts have reached. */
  'billing.tell': scheduled('billing.tell', '* * * * *'),
  /** Emails the next step to an address that requested an account. */
  'account.sign-up-mail': {
    name: 'account.sign-up-mail',
    payload: z.object({ email: z.string() }),
    retryLimit: 5,
    retryDelay: 30,
    expireInSeconds: 60,
  },
  /** Emails a password reset link to the user with this address, if there is one. */
  'user.reset-mail': {
    name: 'user.reset-mail',
    payload: z.object({ email: z.string() }),
    retryLimit: 5,
    retryDelay: 30,
    expireInSeconds: 60,
  },
  /** Emails users about events that affect their security. */
  'security.mail': scheduled('security.mail', '* * * * *'),
  /** Writes the completed hour's refused attempts to the audit logs. */
  'security.close': scheduled('security.close', '2 * * * *', { retryLimit: 3, retryDelay: 60 }),
  /** Emails an invitation link. Retries for about five hours while the mail server does not accept it. */
  'team.invitation-mail': {
    name: 'team.invitation-mail',
    payload: z.object({ invitationId: z.string() }),
    retryLimit: 12,
    retryDelay: 15,
    retryBackoff: true,
    retryDelayMax: 3_600,
    expireInSeconds: 60,
  },
  /** Sends one email to one recipient. */
  'mail.send': {
    name: 'mail.send',
    payload: z.object({ to: z.string(), subject: z.string(), text: z.string() }),
    retryLimit: 10,
    retryDelay: 60,
    expireInSeconds: 60,
  },
  /** Deletes what remains of accounts that their owners deleted. Their rows are the queue. */
  'account.purge': scheduled('account.purge', '32 * * * *', { retryLimit: 3, retryDelay: 60 }),
  /** Copies erasures of viewers to where they survive the loss of the database. */
  'erasure.copy': scheduled('erasure.copy', '3-59/5 * * * *', { retryLimit: 3, retryDelay: 60 }),
  /** Repeats erasures of viewers that a restored database does not know. */
  'erasure.repeat': scheduled('erasure.repeat', '41 * * * *'),
  /** Makes new captions searchable by what is said. */
  'captions.index': scheduled('captions.index', '* * * * *'),
  /** Makes a backup when one is due, and verifies it by a restore. */
  'backup.run': scheduled('backup.run', '*/10 * * * *', { expireInSeconds: 23 * HOUR }),
  /** Removes segments from the CDN when their media was taken down or purged. */
  'cdn.purge': {
    name: 'cdn.purge',
    payload: z.object({ mediaIds: z.array(z.string()) }),
    retryLimit: 20,
    retryDelay: 10,
    retryBackoff: true,
    retryDelayMax: 3_600,
    expireInSeconds: 300,
  },
  /** Repairs videos whose stored media is damaged. The recorded faults are the queue. */
  'media.repair': scheduled('media.repair', '* * * * *', { expireInSeconds: 20 * HOUR }),
  /** Reads the part of the stored media that is due (all of it every 30 days), and requests repairs of damaged objects. */
  'media.scrub': scheduled('media.scrub', '52 * * * *'),
  /** Notes which videos have been watched enough to encode them in AV1, or with the slower preset. */
  'video.watched': scheduled('video.watched', '4-59/10 * * * *', { expireInSeconds: 600 }),
  /** Removes the media of purged videos. Their deletion records are the queue, so that no removal depends on a job surviving. */
  'media.remove': scheduled('media.remove', '*/5 * * * *', { retryLimit: 3, retryDelay: 60 }),
} as const satisfies {
  [Name in string]: {
    name: Name
    payload: z.ZodObject
    retryLimit: number
    retryDelay: number
    retryBackoff?: boolean
    retryDelayMax?: number
    expireInSeconds: number
    cron?: string
  }
}

export type JobName = keyof typeof JOBS
export type Payload<Name extends JobName> = z.output<(typeof JOBS)[Name]['payload']>
