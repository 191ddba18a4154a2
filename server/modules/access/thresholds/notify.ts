import { db, type Tx } from '../../../platform/database/database.ts'
import { creditsText } from '../../billing/price-schema.ts'
import { enqueueMail } from '../../identity/accounts/mail-owners.ts'
import { emit } from '../../webhooks/endpoints/emit.ts'
import { thresholdMail } from './mail.ts'
import { REPORT, type Reached, reportValues } from './reached.ts'

/** Thresholds reported in one transaction. */
const BATCH = 200

/**
 * Reports thresholds that accounts have reached: an event for each, and one email per key, for spending and for storage. The note, events
 * and emails (jobs) are one transaction, so each threshold is reported once, even if a process is killed or several run this. Runs as the
 * job `billing.tell`. Returns how many it reported.
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
  const { alertRecipients } = await tx.account.findUniqueOrThrow({ where: { id: accountId }, select: { alertRecipients: true } })
  const members = await tx.membership.findMany({
    where: { accountId, userId: { in: alertRecipients }, user: { suspendedAt: null } },
    select: { user: { select: { email: true } } },
  })
  for (const { user } of members) await enqueueMail(tx, user.email, thresholdMail(reached))
}
