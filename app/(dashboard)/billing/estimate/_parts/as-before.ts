/** What an estimate begins with: the volume as it was, at the price and the quota of the paid tier. */
export const AS_BEFORE = { volume: 100, price: '0.5', dailyQuota: 100_000 }
