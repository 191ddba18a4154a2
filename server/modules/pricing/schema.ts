/** Tokens per key and UTC day on the free tier, and for test keys on any tier (specification §8). */
export const FREE_DAILY_QUOTA = 1_000

/** Micro-credits in a credit. Amounts are integers internally and decimal strings in responses. */
export const MICRO = 1_000_000

/** Price of a playback token on the paid tier, in micro-credits: 0.5 credit per 1,000 (specification §8). */
export const TOKEN_PRICE = 500

/** Formats credits for responses and pages: a decimal without trailing zeros, as credits_text() in SQL. */
export function creditsText(micro: bigint): string {
  const [sign, whole] = micro < 0n ? ['-', -micro] : ['', micro]
  const rest = (whole % BigInt(MICRO))
    .toString()
    .padStart(6, '0')
    .replace(/(?<!0)0+$/, '')
  return `${sign}${whole / BigInt(MICRO)}${rest && `.${rest}`}`
}
