import type { BillingOverview } from '#server/modules/dashboard/billing-overview'

/** Formats money given in the currency's smallest unit. */
export function formatMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
/** Formats `2026-11` as November 2026. */
export const formatMonth = (text: string) => month.format(new Date(`${text}-01T00:00:00Z`))

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC', hourCycle: 'h23' })
/** Formats a time in UTC: Nov 21, 2026, 09:00. */
export const formatMoment = (date: Date) => moment.format(date)

export type CappedKey = BillingOverview['keys'][number]
