import type { BillingOverview } from '#server/modules/dashboard/billing-overview'

/**
 * Currencies that Stripe takes without decimals, and with three; all others have two (docs.stripe.com/currencies). Intl has fewer where
 * prices are usually whole, such as in forints.
 */
const WITHOUT_DECIMALS = 'bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf'.split(' ')
const WITH_THREE = ['bhd', 'jod', 'kwd', 'omr', 'tnd']

/** Formats money given in the currency's smallest unit at Stripe. */
export function formatMoney(amount: number, currency: string): string {
  const digits = WITHOUT_DECIMALS.includes(currency) ? 0 : WITH_THREE.includes(currency) ? 3 : 2
  const { minimumFractionDigits: usual = digits } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
  const shown = { minimumFractionDigits: Math.min(usual, digits), maximumFractionDigits: digits }
  return new Intl.NumberFormat('en', { style: 'currency', currency, ...shown }).format(amount / 10 ** digits)
}

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
/** Formats `2026-11` as November 2026. */
export const formatMonth = (text: string) => month.format(new Date(`${text}-01T00:00:00Z`))

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC', hourCycle: 'h23' })
/** Formats a time in UTC: Nov 21, 2026, 09:00. */
export const formatMoment = (date: Date) => moment.format(date)

export type CappedKey = BillingOverview['keys'][number]
