/** Micro-credits in a credit. Amounts are integers inside and decimal strings outside. */
export const MICRO = 1_000_000

/** What a playback token costs on the paid tier, in micro-credits: 0.5 credit per 1,000 (specification §8). */
export const TOKEN_PRICE = 500
