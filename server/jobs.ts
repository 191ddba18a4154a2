import { z } from 'zod'

const HOUR = 3_600

/** Every kind of job: what it carries, how often and how long it is tried. Its runner is in server/worker/runners.ts. */
export const JOBS = {
  /** Completes uploads whose completion was cut short and removes abandoned ones. */
  'upload.sweep': {
    name: 'upload.sweep',
    payload: z.object({}),
    retryLimit: 0,
    retryDelay: 0,
    expireInSeconds: HOUR,
    cron: '7 * * * *',
  },
  /** Forgets videos deleted more than 7 days ago, sends the removal of their media, and clears what dead workers left. */
  'video.purge': {
    name: 'video.purge',
    payload: z.object({}),
    retryLimit: 0,
    retryDelay: 0,
    expireInSeconds: HOUR,
    cron: '37 * * * *',
  },
  /** Folds what accounts store into a row each, and measures pictures that are not measured yet. */
  'storage.count': {
    name: 'storage.count',
    payload: z.object({}),
    retryLimit: 0,
    retryDelay: 0,
    expireInSeconds: HOUR,
    cron: '22 * * * *',
  },
  /** Seals stored secrets under the first master key, after a rotation, and replaces the key of receipts when its time has come. */
  'key.rewrap': {
    name: 'key.rewrap',
    payload: z.object({}),
    retryLimit: 0,
    retryDelay: 0,
    expireInSeconds: HOUR,
    cron: '17 * * * *',
  },
  /** Forgets sessions and links for new passwords that have expired, and ends of playback that end nothing any more. */
  'session.sweep': {
    name: 'session.sweep',
    payload: z.object({}),
    retryLimit: 0,
    retryDelay: 0,
    expireInSeconds: HOUR,
    cron: '47 * * * *',
  },
  /** Forgets webhook events that are older than they are kept. */
  'webhook.purge': {
    name: 'webhook.purge',
    payload: z.object({}),
    retryLimit: 0,
    retryDelay: 0,
    expireInSeconds: HOUR,
    cron: '57 * * * *',
  },
  /** Forgets calls and hourly counters that are older than they are kept. */
  'traffic.prune': {
    name: 'traffic.prune',
    payload: z.object({}),
    retryLimit: 0,
    retryDelay: 0,
    expireInSeconds: HOUR,
    cron: '27 * * * *',
  },
  /** Writes the hours of usage that are over into the ledger, a minute after the hour and again should that have failed. */
  'billing.close': {
    name: 'billing.close',
    payload: z.object({}),
    retryLimit: 3,
    retryDelay: 60,
    expireInSeconds: HOUR,
    cron: '1 * * * *',
  },
  /** Mails owners that credit is low or a cap is reached. */
  'billing.tell': {
    name: 'billing.tell',
    payload: z.object({}),
    retryLimit: 0,
    retryDelay: 0,
    expireInSeconds: HOUR,
    cron: '* * * * *',
  },
  /** Mails whoever asked for an account what to do next. */
  'account.sign-up-mail': {
    name: 'account.sign-up-mail',
    payload: z.object({ email: z.string() }),
    retryLimit: 5,
    retryDelay: 30,
    expireInSeconds: 60,
  },
  /** Mails a link for choosing a new password to whoever has the e-mail, if anybody. */
  'user.reset-mail': {
    name: 'user.reset-mail',
    payload: z.object({ email: z.string() }),
    retryLimit: 5,
    retryDelay: 30,
    expireInSeconds: 60,
  },
  /** Mails people what happened to their own security. */
  'security.mail': {
    name: 'security.mail',
    payload: z.object({}),
    retryLimit: 0,
    retryDelay: 0,
    expireInSeconds: HOUR,
    cron: '* * * * *',
  },
  /** Enters the refused attempts of the hour that is over in the audit logs. */
  'security.close': {
    name: 'security.close',
    payload: z.object({}),
    retryLimit: 3,
    retryDelay: 60,
    expireInSeconds: HOUR,
    cron: '2 * * * *',
  },
  /** Mails an invitation's link; over about five hours where the mail server does not take it. */
  'team.invitation-mail': {
    name: 'team.invitation-mail',
    payload: z.object({ invitationId: z.string() }),
    retryLimit: 12,
    retryDelay: 15,
    retryBackoff: true,
    retryDelayMax: 3_600,
    expireInSeconds: 60,
  },
  /** Mails one letter to one person. */
  'mail.send': {
    name: 'mail.send',
    payload: z.object({ to: z.string(), subject: z.string(), text: z.string() }),
    retryLimit: 10,
    retryDelay: 60,
    expireInSeconds: 60,
  },
  'media.remove': {
    name: 'media.remove',
    payload: z.object({ videoId: z.string() }),
    retryLimit: 20,
    retryDelay: 60,
    expireInSeconds: HOUR,
  },
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
