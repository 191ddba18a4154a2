import { ServiceError } from '../../../errors.ts'
import { openAccount } from './open-account.ts'
import type { TimelineInput } from './schema.ts'
import type { StaffCtx } from './staff.ts'
import { type Placed, SOURCES, type TimelineEvent } from './timeline-sources.ts'

const PAGE = 50

/**
 * Returns a page of everything that happened in an account, newest first: the audit log, sign-ins, the ledger without hourly usage,
 * transcoding results (kept for EVENT_RETENTION_DAYS), dead letters and notes. Empty `kinds` means all.
 * Errors: NOT_FOUND, INVALID_REQUEST.
 */
export async function supportTimeline(
  staff: StaffCtx,
  { accountId, kinds, cursor }: TimelineInput,
): Promise<{ events: TimelineEvent[]; nextCursor: string | null }> {
  const places = placesOf(cursor)
  const ctx = await openAccount(staff, { accountId, page: 'timeline' })
  const chosen = SOURCES.map((source, at) => ({ source, at })).filter(
    ({ source }) => kinds.length === 0 || source.kinds.some((kind) => kinds.includes(kind)),
  )
  const queues = await Promise.all(
    chosen.map(async ({ source, at }) => ({ at, rows: await source.read(ctx, kinds, places[at] || undefined, PAGE + 1) })),
  )
  const events: TimelineEvent[] = []
  while (events.length < PAGE) {
    const next = newestOf(queues)
    if (!next) break
    const { place, ...event } = next.rows.shift() as Placed
    places[next.at] = place
    events.push(event)
  }
  return { events, nextCursor: newestOf(queues) ? encode(places) : null }
}

interface Queue {
  at: number
  rows: Placed[]
}

/** Returns the queue whose first event is the newest. Each keeps its own order, so a cursor of places loses and repeats nothing. */
function newestOf(queues: readonly Queue[]): Queue | undefined {
  let newest: Queue | undefined
  for (const queue of queues) {
    const [head] = queue.rows
    if (head && (!newest || head.at > (newest.rows[0] as Placed).at)) newest = queue
  }
  return newest
}

const encode = (places: readonly string[]) => Buffer.from(JSON.stringify(places)).toString('base64url')

/** Returns the last place of each source that was shown; an empty text for none. Errors: INVALID_REQUEST. */
function placesOf(cursor: string | undefined): string[] {
  if (cursor === undefined) return SOURCES.map(() => '')
  try {
    const places: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const isPlace = (value: unknown, at: number) => value === '' || (typeof value === 'string' && SOURCES[at]?.place.test(value))
    if (Array.isArray(places) && places.length === SOURCES.length && places.every(isPlace)) return places as string[]
  } catch {
    // Not JSON.
  }
  throw new ServiceError('INVALID_REQUEST')
}
