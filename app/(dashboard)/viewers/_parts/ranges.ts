/** Ranges that end today, in days. */
export const RANGES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
] as const
export type Days = 7 | 30 | 90 | 365

const DAY_MS = 86_400_000

/** Parses the number of days of an address; 30 without a valid one. */
export function daysFrom(asked: string | string[] | undefined): Days {
  return (RANGES.some(({ value }) => value === asked) ? Number(asked) : 30) as Days
}

/** Returns the range of UTC days that ends with `today`. */
export const lastDays = (days: number, today: string) => ({
  from: new Date(Date.parse(today) - (days - 1) * DAY_MS).toISOString().slice(0, 10),
  to: today,
})
