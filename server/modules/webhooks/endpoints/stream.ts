import type { AccountCtx } from '../../../context.ts'
import { ServiceError } from '../../../errors.ts'
import type { EventPayload } from '../../../events.ts'
import { query } from '../../../platform/database/database.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { beginLongAnswer, longAnswersEnding } from '../../../platform/turns/long-answers.ts'
import { inTurn } from '../../../platform/turns/request-turns.ts'
import { watchAccount } from '../../identity/sessions/watch-account.ts'
import { withViewers } from './event-viewers.ts'

/** A position in the stream: transaction and number of the last event read. */
interface Position {
  tx: string
  seq: string
}

interface StreamPage {
  events: EventPayload[]
  /** Null on the last page, as in every list. */
  nextCursor: string | null
  hasMore: boolean
  /** Of the last event read: the cursor for later ones. */
  position: string
}

/** How often waiting requests poll, in milliseconds: notices can be lost, or arrive before an older transaction has ended. */
const POLL_MS = 1_000

/**
 * Returns the account's events after `cursor` in the order in which they became visible. Without a cursor, returns none and the current
 * position. Waits up to `wait` seconds for the first one. An event appears only once every transaction that began before its own has ended,
 * so none can appear before a returned cursor. Errors: INVALID_REQUEST for a malformed cursor, TurnRefused if too many of the account's
 * requests are waiting.
 */
export async function streamEvents(ctx: AccountCtx, input: { cursor?: string; wait: number; limit: number }): Promise<StreamPage> {
  const position = input.cursor === undefined ? await inTurn(undefined, currentPosition) : parseCursor(input.cursor)
  if (input.cursor === undefined || input.wait === 0) return read(ctx, position, input.limit)
  // Before the first read: a refusal must cost less than a response.
  const turn = beginLongAnswer('polls', ctx.accountId)
  try {
    return await firstPage(ctx, position, input)
  } finally {
    turn.end()
  }
}

async function firstPage(ctx: AccountCtx, position: Position, input: { wait: number; limit: number }): Promise<StreamPage> {
  const deadline = performance.now() + input.wait * 1_000
  for (;;) {
    const notice = awaitNotice(ctx)
    try {
      const page = await read(ctx, position, input.limit)
      const remainingMs = deadline - performance.now()
      if (page.events.length > 0 || remainingMs <= 0 || longAnswersEnding().aborted) return page
      await notice.within(Math.min(remainingMs, POLL_MS))
    } finally {
      notice.stop()
    }
  }
}

interface Row extends Position {
  payload: string
}

async function read({ accountId }: AccountCtx, position: Position, limit: number): Promise<StreamPage> {
  const rows = await inTurn(undefined, () => query<Row>('event-stream', STREAM, [accountId, position.tx, position.seq, limit + 1]))
  const shown = rows.slice(0, limit)
  const last = shown.at(-1) ?? position
  const payloads = await withViewers(shown.map(({ payload }) => payload))
  const events = payloads.map((payload) => JSON.parse(payload) as EventPayload)
  const reached = `${last.tx}.${last.seq}`
  const hasMore = rows.length > limit
  return { events, nextCursor: hasMore ? reached : null, hasMore, position: reached }
}

/** The oldest open transaction, as `emit_event` numbers it: a restored database continues the numbering of the one it replaces. */
const OLDEST_OPEN = `pg_snapshot_xmin(pg_current_snapshot())::text::bigint + COALESCE((SELECT event_position_offset FROM installation), 0)`

const STREAM = `
  SELECT tx::text, seq::text, payload FROM webhook_event
  WHERE account_id = $1 AND (tx, seq) > ($2::bigint, $3::bigint) AND tx < ${OLDEST_OPEN}
  ORDER BY tx, seq LIMIT $4`

/** Returns the position after all ended transactions and before the open ones. */
async function currentPosition(): Promise<Position> {
  const [row] = await query<{ tx: string }>('event-stream-now', `SELECT (${OLDEST_OPEN})::text AS tx`, [])
  return { tx: row?.tx ?? '0', seq: '0' }
}

function parseCursor(cursor: string): Position {
  const [, tx, seq] = /^(\d{1,18})\.(\d{1,18})$/.exec(cursor) ?? []
  if (tx !== undefined && seq !== undefined) return { tx, seq }
  const message = 'Invalid cursor. Omit it to start now.'
  throw new ServiceError('INVALID_REQUEST', { message, details: [{ in: 'query', path: 'cursor', message }] })
}

/** Subscribes to notices of the account's events. `within` resolves at the first one or after `ms`. */
function awaitNotice({ accountId }: AccountCtx) {
  let notify: () => void = () => {}
  const notified = new Promise<void>((resolve) => (notify = resolve))
  const stop = notifications().on('webhook', (subject) => subject === accountId && notify())
  longAnswersEnding().addEventListener('abort', notify, { once: true })
  return {
    within: async (ms: number) => {
      let timer: NodeJS.Timeout | undefined
      await Promise.race([notified, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))])
      clearTimeout(timer)
    },
    stop: () => {
      stop()
      longAnswersEnding().removeEventListener('abort', notify)
    },
  }
}

/** Changes within these milliseconds yield one notice. */
const GATHER_MS = 500

/**
 * Yields whenever the account's webhooks may have changed, until `signal` aborts. The pages then fetch the data. Errors: as `watchAccount`.
 */
export async function* watchWebhooks(ctx: AccountCtx, signal: AbortSignal): AsyncGenerator<{ changed: true }> {
  for await (const _ of watchAccount(ctx, signal, 'webhook', GATHER_MS)) yield { changed: true }
}
