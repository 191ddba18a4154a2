import { env } from '../../../platform/config/config.ts'
import { creditsText, formatCredits } from '../../billing/price-schema.ts'
import type { MailContent } from '../../identity/accounts/mail-owners.ts'
import { bytesText } from '../../identity/accounts/storage.ts'
import type { Reached } from './reached.ts'

/** Returns the email about thresholds that one key, or an account's spending or storage, has reached, lowest first. */
export function thresholdMail(reached: readonly [Reached, ...Reached[]]): MailContent {
  const last = reached.at(-1) ?? reached[0]
  const { subject, says, page } = CONTENTS[last.kind](last)
  const others = reached.slice(0, -1).map(thresholdText)
  return {
    subject,
    text: [
      says,
      others.length > 0 && `Also reached since our last email: ${others.join(', ')}.`,
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
  says: `${oneLine(one.account_name)} stores ${bytesText(Number(one.used))} of ${bytesText(Number(one.most))}. At the limit, uploads are refused.`,
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
