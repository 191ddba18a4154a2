import type { AccountCtx } from '../../context.ts'
import type { DeliveredCodec, DeliveredSums, RenditionSums } from '../analytics/delivered/delivered-schema.ts'
import { deliveredRenditions } from '../analytics/delivered/rendition-sums.ts'
import { type StoredMean, storedMean } from '../analytics/stored-days.ts'
import type { StatementInput } from '../billing/schema.ts'
import { type Statement, statement } from '../billing/statement.ts'

/** Delivered bytes by codec and rendition, and what H.264 would have taken in addition. They have no price. */
export interface DeliveredOfMonth extends DeliveredSums {
  renditions: Pick<RenditionSums, 'codec' | 'rendition' | 'delivered'>[]
}

/** The statement of a month with what was delivered and stored in it; null for a month without any. */
export interface MonthStatement extends Statement {
  delivered: DeliveredOfMonth | null
  stored: StoredMean | null
}

/** Returns the statement of a UTC month, and the bytes that were delivered and stored in it. Errors: as `statement`. */
export async function monthStatement(ctx: AccountCtx, input: StatementInput): Promise<MonthStatement> {
  const [first, last] = daysOf(input.month)
  const [billed, renditions, stored] = await Promise.all([
    statement(ctx, input),
    deliveredRenditions(ctx.accountId, first, last),
    storedMean(ctx.accountId, first, last),
  ])
  return { ...billed, delivered: renditions.length > 0 ? sumsOf(renditions) : null, stored }
}

/** Returns the first and the last day of a month, `YYYY-MM-DD`. */
function daysOf(month: string): [first: string, last: string] {
  const first = new Date(`${month}-01T00:00:00Z`)
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0))
  return [`${month}-01`, last.toISOString().slice(0, 10)]
}

function sumsOf(rows: Awaited<ReturnType<typeof deliveredRenditions>>): DeliveredOfMonth {
  const bytesOf = (wanted: DeliveredCodec) =>
    rows.filter(({ codec }) => codec === wanted).reduce((sum, { delivered }) => sum + delivered, 0)
  return {
    ...{ h264: bytesOf('h264'), av1: bytesOf('av1'), audio: bytesOf('audio') },
    saved: rows.reduce((sum, { saved }) => sum + saved, 0),
    renditions: rows.map(({ codec, rendition, delivered }) => ({ codec, rendition, delivered })),
  }
}
