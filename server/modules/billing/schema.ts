import { z } from 'zod'
import type { Edit } from '../../errors.ts'
import { isStorable, NOT_STORABLE, text, utcDay } from '../../platform/text/schema.ts'
import { SPEND_DAYS, TOP_UP } from './limits.ts'
import { MICRO } from './price-schema.ts'

/** Maximum of one movement, in credits. */
const MOST_CREDITS = 1_000_000_000

/** Parses a decimal with at most six places into micro-credits. */
const credits = z
  .string('Enter an amount in credits.')
  .trim()
  .regex(/^\d{1,10}(\.\d{1,6})?$/, 'Enter credits as a number with at most six decimal places, such as 25 or 0.5.')
  .transform((text) => {
    const [whole = '0', rest = ''] = text.split('.')
    return BigInt(whole) * BigInt(MICRO) + BigInt(rest.padEnd(6, '0'))
  })
  .refine((micro) => micro <= BigInt(MOST_CREDITS) * BigInt(MICRO), 'Enter at most 1,000,000,000 credits.')
const moreThanNone = credits.refine((micro) => micro > 0n, 'Enter more than 0 credits.')

export const reason = text('Enter a reason.')
  .trim()
  .min(3, 'Enter a reason of at least 3 characters. It is recorded permanently in the ledger.')
  .max(500, 'A reason can have at most 500 characters.')
  .refine(isStorable, NOT_STORABLE)

export const creditInput = z.object({ credits: moreThanNone, reason })
export type CreditInput = z.output<typeof creditInput>

export const correctInput = z.object({ credits: moreThanNone, direction: z.enum(['add', 'take']), reason })
export type CorrectInput = z.output<typeof correctInput>

export const topUpInput = z.object({
  credits: z
    .int('Enter a whole number of credits.')
    .min(TOP_UP.least, `Buy at least ${TOP_UP.least} credits.`)
    .max(TOP_UP.most, 'Buy at most 100,000 credits at once.'),
})
export type TopUpInput = z.output<typeof topUpInput>

const tier = z.enum(['FREE', 'PAID'])
export const tierInput = z.object({ tier, reason: reason.optional() })
/** The dashboard's input, with the tier it showed in `expected`. Refused if the current tier differs. */
export const setTierInput = tierInput.pick({ tier: true }).extend({ expected: tier })
/** Operators and support staff give a `reason`, which the audit log stores. */
export type TierInput = Edit<z.output<typeof setTierInput>> & { reason?: string | undefined }

/** Null removes the limit. */
export const limitsInput = z.object({ lowBalanceThreshold: moreThanNone.nullable(), monthCap: credits.nullable() })
/** The dashboard's input, with the values it showed in `expected`. */
export const setLimitsInput = limitsInput.extend({
  expected: z.object({ lowBalanceThreshold: credits.nullable(), monthCap: credits.nullable() }),
})
export type LimitsInput = Edit<z.output<typeof setLimitsInput>>

export const keyId = z.string().min(1).max(64).refine(isStorable, 'This is not a valid ID.')
export const keyCapInput = z.object({ keyId, monthCap: credits.nullable() })
/** The dashboard's input, with the cap it showed in `expected`. */
export const setKeyCapInput = keyCapInput.extend({ expected: keyCapInput.pick({ monthCap: true }) })
export type KeyCapInput = Edit<z.output<typeof setKeyCapInput>>

export const spendInput = z.object({ days: z.literal(SPEND_DAYS) })
export type SpendInput = z.output<typeof spendInput>

export const ledgerInput = z.object({ cursor: z.int().min(1).max(2_147_483_647).optional() })
export type LedgerInput = z.output<typeof ledgerInput>

export const statementInput = z.object({ month: z.string().regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'Use the format YYYY-MM.') })
export type StatementInput = z.output<typeof statementInput>

export const MAX_DAILY_QUOTA = 1_000_000_000
export const simulateInput = z.object({
  /** Percent of the tokens actually requested. */
  volume: z.number().min(0).max(100_000),
  /** Credits for 1,000 tokens. */
  price: credits,
  /** Tokens per key and day. */
  dailyQuota: z.int().min(1).max(MAX_DAILY_QUOTA),
})
export type SimulateInput = z.output<typeof simulateInput>

const MAX_DAYS = 366
const DAY_MS = 86_400_000
/** A range with both ends included. Defaults to the first of this month until today. */
export const usageQuery = z.object({
  from: utcDay
    .optional()
    .meta({ description: 'First UTC date, `YYYY-MM-DD`. Defaults to the first day of this month.', 'x-additive': true }),
  to: utcDay.optional().meta({ description: 'Last UTC date, included. Defaults to today.', 'x-additive': true }),
})
export type UsageQuery = z.output<typeof usageQuery>
/** Returns why a date range is invalid. Undefined if it is valid. */
export function spanProblem(from: string, to: string): string | undefined {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  if (days < 1) return 'The last date must not be before the first.'
  return days > MAX_DAYS ? `A date range can have at most ${MAX_DAYS} days.` : undefined
}

const decimal = z.string().regex(/^\d+(\.\d{1,6})?$/)
const count = z.int().min(0)

export const balance = z
  .object({
    balance: decimal.meta({ description: 'Credits left, as a decimal string.' }),
    unit: z.literal('credit'),
    tier: z.enum(['FREE', 'PAID']),
    lowBalanceThreshold: decimal
      .nullable()
      .meta({ description: 'When the balance falls below this threshold, `wallet.low_balance` is sent; null if none is set.' }),
    updatedAt: z.iso.datetime().meta({ description: 'When the balance last changed.' }),
  })
  .meta({
    id: 'Balance',
    description: 'The wallet of the account.',
    examples: [{ balance: '41.9995', unit: 'credit', tier: 'PAID', lowBalanceThreshold: '10', updatedAt: '2026-11-21T09:03:12.000Z' }],
  })
export type Balance = z.output<typeof balance>

const counts = {
  tokensIssued: count,
  tokensRefused: count.meta({ description: 'Token requests refused because the quota was used up (429).' }),
  requests: count.meta({ description: 'All requests with a valid key.' }),
  credits: decimal.meta({ description: 'Cost of the tokens in credits, as a decimal string.' }),
}
const usageDay = z.object({ date: z.iso.date(), keyId: z.string(), keyName: z.string(), keyPrefix: z.string(), ...counts })
const stored = {
  originalBytes: count.meta({ description: 'Bytes of original uploads.' }),
  renditionBytes: count.meta({ description: 'Bytes of renditions, posters, storyboards and captions.' }),
  unfinishedBytes: count.meta({ description: 'Announced bytes of unfinished uploads.' }),
  totalBytes: count.meta({ description: 'Sum of the three values.' }),
  videos: count.meta({ description: 'Number of videos. Deleted ones count for 7 days, until we remove them.' }),
}
const storage = z.object({
  ...stored,
  limits: z.object({ totalBytes: count, videos: count, unfinishedBytes: count }).meta({ description: 'Limits of the account.' }),
})
export const usage = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    totals: z.object(counts),
    storage: storage.meta({ description: 'What the account stores now, whatever dates you request.', 'x-additive': true }),
    days: z.array(usageDay).meta({ description: 'One row per key and UTC day with usage, ordered by date, then by key.' }),
  })
  .meta({
    id: 'Usage',
    description: 'Usage of the account by API key and UTC day.',
    examples: [
      {
        from: '2026-11-01',
        to: '2026-11-21',
        totals: { tokensIssued: 1200, tokensRefused: 3, requests: 4210, credits: '0.6' },
        storage: {
          ...{
            originalBytes: 52_000_000_000,
            renditionBytes: 81_400_000_000,
            unfinishedBytes: 0,
            totalBytes: 133_400_000_000,
            videos: 214,
          },
          limits: { totalBytes: 500_000_000_000, videos: 10_000, unfinishedBytes: 250_000_000_000 },
        },
        days: [
          {
            date: '2026-11-21',
            keyId: 'key_5Wd0hVdS1nXo3Qm8uJcB2f',
            keyName: 'Backend',
            keyPrefix: 'ak_live_9fQ2',
            tokensIssued: 1200,
            tokensRefused: 3,
            requests: 4210,
            credits: '0.6',
          },
        ],
      },
    ],
  })
export type Usage = z.output<typeof usage>
