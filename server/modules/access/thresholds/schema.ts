import { z } from 'zod'
import type { Edit } from '../../../errors.ts'
import { storedId } from '../../../platform/text/schema.ts'
import { MICRO } from '../../billing/price-schema.ts'

/** Most thresholds of one kind. */
export const MOST_THRESHOLDS = 5
/** Most members who get emails. */
export const MOST_RECIPIENTS = 20

const GB = 1_000_000_000

/** Parses a list such as `50, 80, 100`: each number once, smallest first. `read` returns undefined for a text that is not a threshold. */
const list = (read: (text: string) => bigint | undefined, problem: string) =>
  z
    .string()
    .max(200, 'Use at most 200 characters.')
    .transform((text, ctx) => {
      const values = text
        .split(/[,;\s]+/)
        .filter(Boolean)
        .map(read)
      if (values.some((value) => value === undefined)) ctx.addIssue({ code: 'custom', message: problem })
      const unique = [...new Set(values as bigint[])].sort((a, b) => (a < b ? -1 : 1))
      if (unique.length > MOST_THRESHOLDS) ctx.addIssue({ code: 'custom', message: `Enter at most ${MOST_THRESHOLDS} numbers.` })
      return unique
    })

const percents = list(
  (text) =>
    /^\d{1,3}%?$/.test(text) && Number.parseInt(text, 10) >= 1 && Number.parseInt(text, 10) <= 100
      ? BigInt(Number.parseInt(text, 10))
      : undefined,
  'Enter whole percentages from 1 to 100, separated by commas.',
)
const decimal = (text: string, unit: number): bigint | undefined => {
  const [, whole = '', rest = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? []
  const value = whole && BigInt(whole) * BigInt(unit) + (BigInt(rest.padEnd(6, '0')) * BigInt(unit)) / 1_000_000n
  return value ? value : undefined
}
const credits = list((text) => decimal(text, MICRO), 'Enter amounts in credits such as 50 or 99.5, separated by commas.')
const gigabytes = list((text) => decimal(text, GB), 'Enter sizes in gigabytes such as 50 or 0.5, separated by commas.')

const values = z.object({
  /** Percent of a key's daily quota. */
  quota: percents,
  /** Credits spent in a UTC month. */
  spend: credits,
  /** Percent of the account's storage limit. */
  storage: percents,
  /** Gigabytes stored. */
  storageGb: gigabytes,
  /** IDs of the members who get emails. */
  recipients: z
    .array(storedId(64).min(1))
    .max(MOST_RECIPIENTS, `Choose at most ${MOST_RECIPIENTS} members.`)
    .transform((ids) => [...new Set(ids)].sort()),
})

/** A thresholds form, with the values that the page showed in `expected`. */
export const thresholdsInput = values.extend({ expected: values })
export const thresholdsForm = values
export type Thresholds = z.output<typeof values>
/** The thresholds as text. */
export type ThresholdTexts = z.input<typeof values>
export type ThresholdsInput = Edit<z.output<typeof thresholdsInput>>

const decimals = (value: bigint, unit: number) => String(Number(value) / unit)

/** Returns the thresholds as the form shows them. */
export const thresholdTexts = ({ quota, spend, storage, storageGb, recipients }: Thresholds): ThresholdTexts => ({
  quota: quota.join(', '),
  spend: spend.map((micro) => decimals(micro, MICRO)).join(', '),
  storage: storage.join(', '),
  storageGb: storageGb.map((bytes) => decimals(bytes, GB)).join(', '),
  recipients,
})
