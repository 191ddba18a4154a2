import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { BatchedCounts } from '../../../platform/batched-counts.ts'
import { services } from '../../../platform/container.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { log } from '../../../platform/observe/log.ts'
import { isKeyValue } from '../../access/keys/format.ts'
import { addressOf } from '../../identity/sign-in/client-ip.ts'
import { TOKEN_OPERATION } from '../schema.ts'
import { Counters, getOrCreate } from './counters.ts'
import { type Batch, flushCounters } from './flush.ts'
import type { ObservedCall, ObservedOperation, ObservedReply } from './observed-call.ts'
import { MOST_BODY, redact } from './redact.ts'
import { writeLog } from './request-log.ts'
import { type Entry, LOGGED_PER_SECOND, Sample } from './sample.ts'

/** Characters of an API key (specification §2.4). */
const KEY_LENGTH = 40
/** A player that is refused retries: one refusal of a session for a reason is logged in this time. */
const REPEATED_MS = 60_000

/** Playlists, keys and viewing reports: calls of players, which are no part of the API. */
const PLAYBACK: ObservedOperation = {
  ...{ operationId: 'playback', auth: 'none' },
  errors: ['PLAYBACK_TOKEN_INVALID', 'PLAYBACK_TOKEN_EXPIRED', 'PLAYBACK_NOT_ALLOWED'],
}

/**
 * Collects the public API's requests in memory and writes them once a second and on shutdown: counters by key, endpoint and status, and the
 * request log. A killed process loses at most the last second, but no issued token: the quota counts those.
 */
export class Traffic extends BatchedCounts<Batch> {
  private tallies = new Map<string, Counters>()
  private samples = new Map<string, Sample>()
  /** When a session's refusal for a reason was last logged, in Unix milliseconds. */
  private readonly refusals = new LRUCache<string, number>({ max: 10_000 })

  constructor() {
    super({ everyMs: 1_000, mostUnwritten: 600, write: flushCounters, fault: 'could not write traffic counters' })
  }

  /** Records a request and its response. `operation` is undefined if no endpoint matched. */
  record(operation: ObservedOperation | undefined, call: ObservedCall, reply: ObservedReply): void {
    const { key } = call
    if (operation !== undefined && (key !== undefined || reply.about !== undefined)) {
      const now = performance.now()
      const tally = this.of(call, reply)
      if (tally.address === undefined) {
        tally.address = addressOf(call.address())
        tally.userAgent = redact(call.header('user-agent') ?? '', 300)
      }
      tally.count(operation.operationId, reply.status, now - call.startedAt, now)
      if (operation.unlogged && reply.status < 400) return
    } else if (call.header('x-service-key')?.length !== KEY_LENGTH) return
    this.sampleOf(key?.accountId ?? reply.about?.accountId ?? '').offer(reply.status >= 400, entryOf, call, reply, operation)
  }

  /**
   * Logs that a playlist, key or viewing report of a session was refused, unless this process did so within the last minute. Does not count
   * it as usage. Ignores errors that are not about a session.
   */
  refused(call: ObservedCall, reply: ObservedReply): void {
    const { about, error } = reply
    if (!about?.tokenId || !error) return
    const { reason = '' } = (error.extras.details ?? {}) as { reason?: string }
    const kind = `${about.tokenId} ${error.code} ${reason}`
    const now = serviceNow()
    if (now - (this.refusals.get(kind) ?? 0) < REPEATED_MS) return
    this.refusals.set(kind, now)
    // The permit in the path and the signature in the query open the session.
    const path = call.path.replace(/^(\/cdn\/hls\/[^/]*\/)[^/]*/, '$1{permit}')
    this.sampleOf(about.accountId ?? '').offer(true, entryOf, { ...call, path, search: '' }, reply, PLAYBACK)
  }

  /** Counts a token request that the quota granted or refused. */
  token(key: { id: string; accountId: string }, granted: boolean): void {
    const tally = this.ofKey(key)
    tally.lastAt = performance.now()
    tally.cell(TOKEN_OPERATION, granted ? 200 : 429).tokens++
  }

  protected take(): Batch | undefined {
    const { tallies } = this
    if (tallies.size === 0) return undefined
    this.tallies = new Map()
    return { tallies, endedAt: performance.now() }
  }

  /** Writes the collected data. If that fails, keeps the counters and drops entries of the request log. */
  override async flush(): Promise<void> {
    const chosen = [...this.samples.values()].flatMap((sample) => sample.entries())
    this.samples = new Map()
    await super.flush()
    await writeLog(chosen).catch((error: Error) =>
      log().warn({ err: error.message, calls: chosen.length }, 'the request log is missing some API requests'),
    )
  }

  private of({ key }: ObservedCall, { about }: ObservedReply): Counters {
    if (key) return this.ofKey(key)
    const { accountId, videoId } = about as { accountId?: string; videoId?: string }
    return getOrCreate(this.tallies, accountId ?? videoId ?? '', () => new Counters(accountId, '', videoId))
  }

  private ofKey({ id, accountId }: { id: string; accountId: string }): Counters {
    return getOrCreate(this.tallies, id, () => new Counters(accountId, id))
  }

  private sampleOf(accountId: string): Sample {
    return getOrCreate(this.samples, accountId, () => new Sample(LOGGED_PER_SECOND))
  }
}

function entryOf(call: ObservedCall, reply: ObservedReply, operation: ObservedOperation | undefined): Entry {
  return {
    id: call.requestId,
    at: serviceNow(),
    durationMs: performance.now() - call.startedAt,
    operation,
    // Drops the body, which can be large.
    reply: { status: reply.status, headers: reply.headers, error: reply.error, about: reply.about },
    method: call.method,
    path: call.path,
    search: call.search,
    params: call.params,
    address: addressOf(call.address()),
    userAgent: call.header('user-agent'),
    requestHeaders: headersOf(call),
    bodies: call.key?.environment === 'TEST' ? { request: textOf(call.sent), response: textOf(reply.body) } : undefined,
    accountId: call.key?.accountId ?? reply.about?.accountId,
    keyId: call.key?.id,
    keyHash: call.key || reply.about ? undefined : hashOf(call.header('x-service-key')),
    about: reply.about,
  }
}

/** Request headers kept for the log. Of an idempotency key, only its presence is kept: its value can be confidential. */
const LOGGED_HEADERS = ['accept', 'content-type', 'if-none-match', 'origin']

function headersOf(call: ObservedCall): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of LOGGED_HEADERS) {
    const value = call.header(name)
    if (value !== undefined) headers[name] = value.slice(0, 300)
  }
  if (call.header('idempotency-key') !== undefined) headers['idempotency-key'] = '(sent)'
  return headers
}

/** Returns the beginning of a body as a text of its own, so that the body is not held; undefined for none, and for a streamed one. */
function textOf(body: unknown): string | undefined {
  const bytes = typeof body === 'string' ? Buffer.from(body.slice(0, MOST_BODY + 1)) : body
  return bytes instanceof Uint8Array ? new TextDecoder().decode(bytes.subarray(0, MOST_BODY + 1)) : undefined
}

/** Hashes a key for the look-up; undefined for a value that cannot be a key. */
const hashOf = (value: string | undefined) => (value !== undefined && isKeyValue(value) ? hash('sha256', value) : undefined)

declare module '../../../platform/container.ts' {
  interface Services {
    trafficCollector: Traffic
  }
}

export const trafficCollector = () => services().trafficCollector
