/** Tokens per key and UTC day on the free tier, and for test keys on any tier (specification §8). */
export const FREE_DAILY_QUOTA = 1_000

/** Micro-credits in a credit. Amounts are integers internally and decimal strings in responses. */
export const MICRO = 1_000_000

/** Price of a playback token on the paid tier, in micro-credits: 0.5 credit per 1,000 (specification §8). */
export const TOKEN_PRICE = 500

/** Formats credits for responses and records: a decimal without trailing zeros, like credits_text() in SQL. */
export function creditsText(micro: bigint): string {
  const [sign, whole] = micro < 0n ? ['-', -micro] : ['', micro]
  const rest = (whole % BigInt(MICRO))
    .toString()
    .padStart(6, '0')
    .replace(/(?<!0)0+$/, '')
  return `${sign}${whole / BigInt(MICRO)}${rest && `.${rest}`}`
}

const credits = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })

/** Formats a decimal of credits for readers of pages and emails: 1,204.9995, −3. */
export const formatCredits = (decimal: string | number): string => credits.format(Number(decimal)).replace('-', '−')

/** Formats a change in a balance for readers: +25, −1,000. */
export const formatSignedCredits = (decimal: string): string => (decimal.startsWith('-') ? '' : '+') + formatCredits(decimal)
