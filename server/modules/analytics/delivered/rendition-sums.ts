import { query, type Runner } from '../../../platform/database/database.ts'
import { byRendition, type RenditionSums } from './delivered-schema.ts'

type Sums = Pick<RenditionSums, 'codec' | 'rendition'> & Record<string, unknown>
type Stored = Sums & Pick<RenditionSums, 'stored'>
type Delivered = Sums & Pick<RenditionSums, 'delivered' | 'saved'>

const STORED_OF_ACCOUNT = `
  SELECT r.codec, r.quality AS rendition, sum(r.bytes)::float8 AS stored
  FROM media m JOIN rendition r ON r.media_id = m.id WHERE m.account_id = $1 GROUP BY 1, 2
  UNION ALL
  SELECT 'h264', 'iframes', coalesce(sum(r.bytes), 0)::float8
  FROM media m JOIN iframe_rendition r ON r.media_id = m.id WHERE m.account_id = $1 HAVING count(*) > 0
  UNION ALL
  SELECT 'audio', 'audio', coalesce(sum(r.bytes), 0)::float8
  FROM media m JOIN audio_rendition r ON r.media_id = m.id WHERE m.account_id = $1 HAVING count(*) > 0`

// Reads only indexes, because the rows hold segment lists.
const STORED_OF_ALL = `
  SELECT codec, quality AS rendition, sum(bytes)::float8 AS stored FROM rendition GROUP BY 1, 2
  UNION ALL SELECT 'h264', 'iframes', coalesce(sum(bytes), 0)::float8 FROM iframe_rendition HAVING count(*) > 0
  UNION ALL SELECT 'audio', 'audio', coalesce(sum(bytes), 0)::float8 FROM audio_rendition HAVING count(*) > 0`

const deliveredOf = (condition: string) => `
  SELECT codec, CASE WHEN codec = 'audio' THEN 'audio' WHEN stream LIKE 'iframes-%' THEN 'iframes' ELSE stream END AS rendition,
    sum(bytes)::float8 AS delivered, sum(saved)::float8 AS saved
  FROM account_delivered_day WHERE ${condition} GROUP BY 1, 2`
const DELIVERED_OF_ACCOUNT = deliveredOf('account_id = $1 AND day BETWEEN $2::date AND $3::date')
const DELIVERED_OF_ALL = deliveredOf("day > (service_now() AT TIME ZONE 'UTC')::date - $1::int")

/** Returns what an account currently stores and what it delivered between two UTC days (`YYYY-MM-DD`, both inclusive), by rendition. */
export async function renditionsOfAccount(accountId: string, from: string, to: string, on?: Runner): Promise<RenditionSums[]> {
  const stored = query<Stored>('stored-renditions', STORED_OF_ACCOUNT, [accountId], on)
  return joined(...(await Promise.all([stored, deliveredRenditions(accountId, from, to, on)])))
}

/** Returns what an account delivered between two UTC days, by rendition in order. */
export async function deliveredRenditions(accountId: string, from: string, to: string, on?: Runner): Promise<Delivered[]> {
  const rows = await query<Delivered>('delivered-renditions', DELIVERED_OF_ACCOUNT, [accountId, from, to], on)
  return rows.sort(byRendition)
}

/** Returns what all accounts currently store and what they delivered in the last days, including today, by rendition. */
export async function renditionsOfAll(days: number): Promise<RenditionSums[]> {
  const [stored, delivered] = await Promise.all([
    query<Stored>('stored-renditions-all', STORED_OF_ALL, []),
    query<Delivered>('delivered-renditions-all', DELIVERED_OF_ALL, [days]),
  ])
  return joined(stored, delivered)
}

function joined(stored: readonly Stored[], delivered: readonly Delivered[]): RenditionSums[] {
  const sums = new Map<string, RenditionSums>()
  const sumsOf = ({ codec, rendition }: Sums) => {
    const key = `${codec} ${rendition}`
    const known = sums.get(key) ?? { codec, rendition, stored: 0, delivered: 0, saved: 0 }
    sums.set(key, known)
    return known
  }
  for (const row of stored) sumsOf(row).stored = row.stored
  for (const row of delivered) Object.assign(sumsOf(row), { delivered: row.delivered, saved: row.saved })
  return [...sums.values()].filter(({ stored, delivered }) => stored > 0 || delivered > 0).sort(byRendition)
}
