import { env } from '../../../platform/config/config.ts'
import { db, type Tx } from '../../../platform/database/database.ts'
import { creditsText, formatCredits } from '../../billing/price-schema.ts'
import { enqueueMail, type MailContent } from '../../identity/accounts/mail-owners.ts'
import { bytesText } from '../../identity/accounts/storage.ts'
import { emit } from '../../webhooks/endpoints/emit.ts'
import { REPORT, type Reached, reportValues } from './reached.ts'

/** Thresholds reported in one transaction. */
const BATCH = 200

/**
 * Reports the thresholds that accounts have reached: an event for each, and one e-mail for those of one key, of spending or of storage. Note,
 * events and e-mails (jobs) are one transaction, so that each is reported once, whenever a process is killed and however many run this. Runs
 * as the job `billing.tell`; returns the number of thresholds reported.
 */
export async function notifyThresholds(signal?: AbortSignal): Promise<number> {
  let reported = 0
  for (;;) {
    signal?.throwIfAborted()
    const count = await db().$transaction(notifySome)
    reported += count
    if (count < BATCH) return reported
  }
}

async function notifySome(tx: Tx): Promise<number> {
  const all = await tx.$queryRawUnsafe<Reached[]>(REPORT, ...reportValues(BATCH))
  const together = new Map<string, Reached[]>()
  for (const one of all) {
    await emitReached(tx, one)
    const subject = `${one.account_id} ${one.kind === 'storageBytes' ? 'storage' : one.kind} ${one.key_id ?? ''}`
    together.set(subject, [...(together.get(subject) ?? []), one])
  }
  for (const reached of together.values()) await mailReached(tx, reached as [Reached, ...Reached[]])
  return all.length
}

async function emitReached(tx: Tx, { account_id: account, kind, threshold, used, most, ...rest }: Reached): Promise<void> {
  if (kind === 'quota') {
    const { key_id: keyId, key_prefix: keyPrefix, reset_at: resetAt } = rest
    await emit(tx, account, 'quota.threshold_reached', {
      ...{ keyId: keyId ?? '', keyPrefix: keyPrefix ?? '', threshold: Number(threshold) },
      ...{ used: Number(used), limit: Number(most), resetAt: resetAt.toISOString() },
    })
  } else if (kind === 'spend')
    await emit(tx, account, 'spend.threshold_reached', { threshold: creditsText(threshold), spent: creditsText(used), month: rest.month })
  else {
    const unit = kind === 'storage' ? 'percent' : 'bytes'
    await emit(tx, account, 'storage.threshold_reached', {
      unit,
      threshold: Number(threshold),
      usedBytes: Number(used),
      limitBytes: Number(most),
    })
  }
}

async function mailReached(tx: Tx, reached: [Reached, ...Reached[]]): Promise<void> {
  const { account_id: accountId } = reached[0]
  const { recipients = [] } = (await tx.thresholdSetting.findUnique({ where: { accountId }, select: { recipients: true } })) ?? {}
  const members = await tx.membership.findMany({
    where: { accountId, userId: { in: recipients }, user: { suspendedAt: null } },
    select: { user: { select: { email: true } } },
  })
  for (const { user } of members) await enqueueMail(tx, user.email, thresholdMail(reached))
}

/** Returns the e-mail about the thresholds that one key, the spending or the storage of an account has reached, the lowest first. */
export function thresholdMail(reached: readonly [Reached, ...Reached[]]): MailContent {
  const last = reached.at(-1) ?? reached[0]
  const { subject, says, page } = CONTENTS[last.kind](last)
  const others = reached.slice(0, -1).map(thresholdText)
  return {
    subject,
    text: [
      says,
      others.length > 0 && `Also reached since the last message: ${others.join(', ')}.`,
      `Details: ${env().BASE_URL}${page}`,
      `Change these notifications: ${env().BASE_URL}/settings/notifications`,
    ]
      .filter(Boolean)
      .join('\n\n'),
  }
}

const count = (value: bigint | null) => Number(value ?? 0).toLocaleString('en')
const oneLine = (name: string | null) => (name ?? '').replace(/\s+/g, ' ')

function thresholdText({ kind, threshold }: Reached): string {
  if (kind === 'spend') return `${formatCredits(creditsText(threshold))} credits`
  return kind === 'storageBytes' ? bytesText(Number(threshold)) : `${threshold}%`
}

const storage = (one: Reached) => ({
  subject: `Storage has reached ${thresholdText(one)}`,
  says: `${oneLine(one.account_name)} stores ${bytesText(Number(one.used))} of ${bytesText(Number(one.most))}. Uploads are refused at the limit.`,
  page: '/usage',
})

const CONTENTS: Record<Reached['kind'], (one: Reached) => { subject: string; says: string; page: string }> = {
  quota: (one) => ({
    subject: `A key has used ${one.threshold}% of its daily quota`,
    says: `The key “${oneLine(one.key_name)}” of ${oneLine(one.account_name)} has issued ${count(one.used)} of ${count(one.most)} playback tokens today. The quota resets at ${one.reset_at.toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
    page: `/api-keys/${one.key_id}`,
  }),
  spend: (one) => ({
    subject: `Spending has reached ${thresholdText(one)}`,
    says: `${oneLine(one.account_name)} has spent ${formatCredits(creditsText(one.used))} credits this month (UTC).${one.most === null ? '' : ` The monthly spending cap is ${formatCredits(creditsText(one.most))} credits.`}`,
    page: '/billing',
  }),
  storage,
  storageBytes: storage,
}
