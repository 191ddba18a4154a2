import { query } from '../../../platform/database/database.ts'
import type { DeliveredSums } from './delivered-schema.ts'

/** Days of the totals, the present one included. */
const DAYS = 30

/** What all accounts delivered lately, and the renditions in AV1 that are stored. Sizes in bytes. */
export interface InstallationDelivered extends DeliveredSums {
  days: number
  storedAv1: number
}

/** By the rows of accounts: those of at most two partitions. */
const READ = `
  SELECT coalesce(sum(bytes) FILTER (WHERE codec = 'h264'), 0)::float8 AS h264, coalesce(sum(bytes) FILTER (WHERE codec = 'av1'), 0)::float8 AS av1,
    coalesce(sum(bytes) FILTER (WHERE codec = 'audio'), 0)::float8 AS audio, coalesce(sum(saved), 0)::float8 AS saved,
    (SELECT coalesce(sum(bytes), 0) FROM rendition WHERE codec = 'av1')::float8 AS "storedAv1"
  FROM account_delivered_day WHERE day > (service_now() AT TIME ZONE 'UTC')::date - $1::int`

/** Returns the totals of the installation, for the operator. */
export async function readInstallationDelivered(): Promise<InstallationDelivered> {
  const [row] = await query<Omit<InstallationDelivered, 'days'> & Record<string, unknown>>('installation-delivered', READ, [DAYS])
  return { days: DAYS, h264: 0, av1: 0, audio: 0, saved: 0, storedAv1: 0, ...row }
}
