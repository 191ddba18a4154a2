import { z } from 'zod'

const HOUR = 3_600

interface Limits {
  retryLimit?: number
  retryDelay?: number
  expireInSeconds?: number
}

/** Declares a job without a payload, at the times of `cron`. Its next run takes the place of a retry. */
const scheduled = <Name extends string>(name: Name, cron: string, limits: Limits = {}) => ({
  ...{ name, cron, payload: z.object({}), retryLimit: 0, retryDelay: 0, expireInSeconds: HOUR },
  ...limits,
})

/** Every kind of job: its payload, its retries and its time limit. Its runner is in server/worker/runners.ts. */
export const JOBS = {
  /** Completes uploads whose completion was interrupted and removes abandoned ones. */
  'upload.sweep': scheduled('upload.sweep', '7 * * * *'),
  /** Ends uploads of the API that have expired. */
  'upload.expire': scheduled('upload.expire', '* * * * *'),
  /** Downloads the file of an import. Its own failures enqueue the next attempt; retries are for outages and killed workers. */
  'upload.import': {
    name: 'upload.import',
    payload: z.object({ uploadId: z.string() }),
    retryLimit: 40,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 600,
    expireInSeconds: 23 * HOUR,
  },
  /** Makes the MP4 of a rendition for download. It counts its own failures; retries beyond them are for outages and killed workers. */
  'download.prepare': {
    name: 'download.prepare',
    payload: z.object({ videoId: z.string(), quality: z.string(), codec: z.enum(['h264', 'av1']).optional() }),
    retryLimit: 10,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 6 * HOUR,
  },
  /** Applies an action to many videos. Its rows are the queue: a repeated run goes on with those that are pending. */
  'library.bulk': {
    name: 'library.bulk',
    payload: z.object({ actionId: z.string() }),
    retryLimit: 40,
    retryDelay: 5,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: 6 * HOUR,
  },
  /** Begins to re-encode the next video that waits for it, or what a watched video is due, while nothing else is being transcoded. */
  'video.reencode': scheduled('video.reencode', '* * * * *', { expireInSeconds: 60 }),
  /** Deletes the rows of videos deleted more than 7 days ago, of former media and of old estimates, and removes what dead workers left behind. */
  'video.purge': scheduled('video.purge', '37 * * * *'),
  /** Folds the storage changes of each account into one row, and records once a day what each stores. */
  'storage.count': scheduled('storage.count', '22 * * * *'),
  /** Seals stored secrets under the first master key after a rotation, and replaces the signing key of receipts when it is due. */
  'key.rewrap': scheduled('key.rewrap', '17 * * * *'),
  /** Deletes expired sessions and mailed links, ends of playback without effect, and ended share links and invitations. */
  'session.sweep': scheduled('session.sweep', '47 * * * *'),
  /** Ends views as owner that have expired, or whose session or role has ended. */
  'support.end-views': scheduled('support.end-views', '* * * * *'),
  /** Deletes playback sessions without activity for 15 minutes from those that are shown as viewers. */
  'live-session.sweep': scheduled('live-session.sweep', '* * * * *'),
  /** Deletes webhook events that are past their retention period, and samples after 7 days. */
  'webhook.purge': scheduled('webhook.purge', '57 * * * *'),
  /** Makes the next partitions of the traffic tables, and drops those that are past their retention period. */
  'traffic.prune': scheduled('traffic.prune', '27 * * * *'),
  /** Writes the completed hours of usage into the ledger, a minute after the hour, and repeats this if it failed. */
  'billing.close': scheduled('billing.close', '1 * * * *', { retryLimit: 3, retryDelay: 60 }),
  /** Sends owners an e-mail when credit is low or a cap is reached, and reports the thresholds that accounts have reached. */
  'billing.tell': scheduled('billing.tell', '* * * * *'),
  /** Sends the next step by e-mail to an address that requested an account. */
  'account.sign-up-mail': {
    name: 'account.sign-up-mail',
    payload: z.object({ email: z.string() }),
    retryLimit: 5,
    retryDelay: 30,
    expireInSeconds: 60,
  },
  /** Sends a password reset link to the user with this e-mail address, if there is one. */
  'user.reset-mail': {
    name: 'user.reset-mail',
    payload: z.object({ email: z.string() }),
    retryLimit: 5,
    retryDelay: 30,
    expireInSeconds: 60,
  },
  /** Sends users an e-mail about events that concern their security. */
  'security.mail': scheduled('security.mail', '* * * * *'),
  /** Writes the refused attempts of the completed hour into the audit logs. */
  'security.close': scheduled('security.close', '2 * * * *', { retryLimit: 3, retryDelay: 60 }),
  /** Sends an invitation link by e-mail; retries for about five hours while the mail server does not accept it. */
  'team.invitation-mail': {
    name: 'team.invitation-mail',
    payload: z.object({ invitationId: z.string() }),
    retryLimit: 12,
    retryDelay: 15,
    retryBackoff: true,
    retryDelayMax: 3_600,
    expireInSeconds: 60,
  },
  /** Sends one e-mail to one recipient. */
  'mail.send': {
    name: 'mail.send',
    payload: z.object({ to: z.string(), subject: z.string(), text: z.string() }),
    retryLimit: 10,
    retryDelay: 60,
    expireInSeconds: 60,
  },
  /** Deletes what remains of accounts that their owners deleted, whose rows are the queue. */
  'account.purge': scheduled('account.purge', '32 * * * *', { retryLimit: 3, retryDelay: 60 }),
  /** Makes the backup that is due, and proves it by a restore. */
  'backup.run': scheduled('backup.run', '*/10 * * * *', { expireInSeconds: 23 * HOUR }),
  /** Removes the segments of media that was taken down or purged from the CDN. */
  'cdn.purge': {
    name: 'cdn.purge',
    payload: z.object({ mediaIds: z.array(z.string()) }),
    retryLimit: 20,
    retryDelay: 10,
    retryBackoff: true,
    retryDelayMax: 3_600,
    expireInSeconds: 300,
  },
  /** Repairs videos whose stored media is damaged; the recorded faults are the queue. */
  'media.repair': scheduled('media.repair', '* * * * *', { expireInSeconds: 20 * HOUR }),
  /** Reads the share of the stored media that is due in 30 days, and requests repairs of what is damaged. */
  'media.scrub': scheduled('media.scrub', '52 * * * *'),
  /** Notes which videos were watched for long enough to be encoded in AV1, or with the slower preset. */
  'video.watched': scheduled('video.watched', '4-59/10 * * * *', { expireInSeconds: 600 }),
  /** Removes the media of purged videos, whose records of deletion are the queue: no removal depends on the life of a job. */
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
