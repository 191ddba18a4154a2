import { JOBS } from '../../server/jobs.ts'
import { reason as reasonSchema } from '../../server/modules/backoffice/support/schema.ts'
import { userByEmail } from '../../server/modules/backoffice/support/staff.ts'
import { operatorAccount } from '../../server/modules/billing/credit.ts'
import { restoreAccount, suspendAccount } from '../../server/modules/identity/accounts/delete-account.ts'
import { endSessionsOf, restorePerson, suspendPerson } from '../../server/modules/identity/sessions/suspend-user.ts'
import { purgesCdn } from '../../server/modules/videos/cdn-purge.ts'
import { liftTakeDown, operatorVideo, takeDown } from '../../server/modules/videos/take-down.ts'
import { startQueue, stopQueue } from '../../server/platform/job-queue.ts'
import { isMailConfigured } from '../../server/platform/mail.ts'
import type { Command, ParsedArgs } from './command.ts'

const reason = { type: 'string', description: 'Reason to email to the affected users.', required: true } as const
const because = ({ options }: ParsedArgs) => reasonSchema.parse(options.reason)
const person = { type: 'boolean', description: 'TARGET is a user’s email address. Applies to that user’s login.' } as const
const OPERATOR = { actor: { kind: 'operator' } } as const

/** Emails and CDN purges are jobs. The queue runs during `work` if either is configured. */
async function withJobQueue<Result>(work: () => Promise<Result>): Promise<Result> {
  if (!isMailConfigured() && !purgesCdn()) return work()
  await startQueue(JOBS)
  try {
    return await work()
  } finally {
    await stopQueue()
  }
}

export const suspend: Command = {
  name: 'suspend',
  takes: ['target'],
  description: 'Suspends an account (TARGET is its ID or its owner’s email address) or, with --person, a user’s login.',
  options: { reason, person },
  async run(parsed, print) {
    const { target = '' } = parsed.args
    const why = because(parsed)
    if (parsed.options.person) {
      const userId = await userByEmail(target.toLowerCase())
      await withJobQueue(() => suspendPerson(OPERATOR, { userId, reason: why }))
      print(`${target} is signed out of all devices and cannot sign in. This user’s accounts and API keys continue to work.`)
    } else {
      const ctx = await operatorAccount(target)
      await withJobQueue(() => suspendAccount(ctx, { reason: why }))
      print(`${ctx.accountId} is suspended: its API keys are rejected, and its videos do not play.`)
    }
    return 0
  },
}

export const restore: Command = {
  name: 'restore',
  takes: ['target'],
  description: 'Lifts the suspension of an account or of a login (--person), or reverses a takedown (TARGET is a video ID).',
  options: { reason, person },
  async run(parsed, print) {
    const { target = '' } = parsed.args
    const why = because(parsed)
    if (parsed.options.person) {
      const userId = await userByEmail(target.toLowerCase())
      await withJobQueue(() => restorePerson(OPERATOR, { userId, reason: why }))
      print(`${target} can sign in again.`)
    } else if (target.startsWith('vid_')) {
      const ctx = await operatorVideo(target)
      await withJobQueue(() => liftTakeDown(ctx, { videoId: target, reason: why }))
      print(`${target} of ${ctx.accountId} is no longer taken down.`)
    } else {
      const ctx = await operatorAccount(target)
      await withJobQueue(() => restoreAccount(ctx, { reason: why }))
      print(`${ctx.accountId} is restored.`)
    }
    return 0
  },
}

export const takedown: Command = {
  name: 'takedown',
  takes: ['video'],
  description: 'Takes a video down: it no longer plays anywhere, and its media is kept. Reverse it with `restore`.',
  options: { reason },
  async run(parsed, print) {
    const { video = '' } = parsed.args
    const why = because(parsed)
    const ctx = await operatorVideo(video)
    await withJobQueue(() => takeDown(ctx, { videoId: video, reason: why }))
    print(`${video} of ${ctx.accountId} is taken down.`)
    return 0
  },
}

export const endSessions: Command = {
  name: 'end-sessions',
  takes: ['email'],
  description: 'Signs a user out of all devices. The user can sign in again.',
  options: { reason },
  async run(parsed, print) {
    const { email = '' } = parsed.args
    const why = because(parsed)
    const userId = await userByEmail(email.toLowerCase())
    const { ended } = await withJobQueue(() => endSessionsOf(OPERATOR, { userId, reason: why }))
    print(`${email}: ${ended} ${ended === 1 ? 'session' : 'sessions'} ended.`)
    return 0
  },
}
