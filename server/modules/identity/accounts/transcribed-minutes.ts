import type { AccountId } from '../../../context.ts'
import { query } from '../../../platform/database/database.ts'

/** SQL: the first day of this UTC month. */
export const THIS_MONTH = `date_trunc('month', service_now() AT TIME ZONE 'UTC')::date`

const MINUTES = `
  SELECT ceil(COALESCE(sum(seconds), 0) / 60)::float8 AS minutes FROM transcribed_day WHERE account_id = $1 AND day >= ${THIS_MONTH}`

/** Returns the minutes of audio that an account has had transcribed in this UTC month. */
export async function transcribedThisMonth(accountId: AccountId): Promise<number> {
  const [row] = await query<{ minutes: number }>('transcribed-month', MINUTES, [accountId])
  return row?.minutes ?? 0
}
