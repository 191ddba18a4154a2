/** Limits and offered amounts of one purchase, in whole credits. */
export const TOP_UP = { least: 5, most: 100_000, offered: [10, 50, 200, 1_000] } as const
/** Ranges of the spend chart, in days. */
export const SPEND_DAYS = [7, 30, 90] as const
