import { EventEmitter } from 'node:events'
import pg from 'pg'
import { env } from '../config/config.ts'
import { services } from '../container.ts'
import { log } from '../observe/log.ts'
import { newId } from '../secrets/crypto.ts'
import { asService } from '../turns/caller.ts'
import { setDatabaseClock } from './clock.ts'
import { connectionTo } from './connection.ts'
import { probe, query, vital } from './database.ts'
import { directUrl } from './database-url.ts'

const CHANNEL = 'reelgate'
const HEARTBEAT_MS = 400
/** How long a starting process waits for its first heartbeat: on a busy machine, many processes start at once. */
const FIRST_HEARTBEAT_MS = 10_000
/** A notice is a transaction, but it need not reach the disk. */
const HEARTBEAT = `
  SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2), (extract(epoch FROM service_now()) * 1000)::float8 AS ms`

/**
 * Listens on one connection per process. The first word of a payload is the topic (`key`, `video`, `account`), the rest the subject. `live`
 * turns false as soon as the connection ends, or when no heartbeat arrives for three intervals; caches then hold nothing. A heartbeat is a
 * notice that the process sends itself over another connection: it arrives only where other notices do, which a response through a pooler
 * does not prove.
 */
export class NotificationListener {
  private readonly events = new EventEmitter().setMaxListeners(0)
  private client: pg.Client | undefined
  private timer: NodeJS.Timeout | undefined
  private closed = false
  private answeredAt = 0
  /** Channel of this process's heartbeats, which other processes do not receive. */
  private readonly beats = newId('beat')
  private beatCount = 0
  /** By nonce: what is waiting for the process's own notice. */
  private readonly awaited = new Map<string, () => void>()
  /** The unsent notice that callers of `caughtUp` share, and the previous one, which is under way. */
  private waiting: Promise<void> | undefined
  private underWay: Promise<void> | undefined

  get live(): boolean {
    return this.client !== undefined && performance.now() - this.answeredAt < 3 * HEARTBEAT_MS
  }

  /** When it last received its own notice, by `performance.now()`. Undefined before it has started. */
  get heardAt(): number | undefined {
    return this.answeredAt === 0 ? undefined : this.answeredAt
  }

  /** Calls `react(subject)` for each change. Returns a function that unsubscribes. */
  on(topic: string, react: (subject: string) => void): () => void {
    this.events.on(topic, react)
    return () => this.events.off(topic, react)
  }

  /** Calls `react` whenever notices may have been missed. */
  onLost(react: () => void): () => void {
    this.events.on('lost', react)
    return () => this.events.off('lost', react)
  }

  /** Connects and waits for the first heartbeat, at most `limitMs`. Throws when the database or the heartbeat does not respond. */
  async start(limitMs = FIRST_HEARTBEAT_MS): Promise<void> {
    if (this.closed) return
    const client = new pg.Client({
      ...connectionTo(directUrl(env())),
      application_name: 'reelgate listener',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      // A silently cut connection never responds; without this, a connection cut before LISTEN would be awaited forever.
      query_timeout: limitMs,
    })
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === this.beats) return this.awaited.get(payload)?.()
      const cut = payload.indexOf(':')
      this.events.emit(payload.slice(0, cut), payload.slice(cut + 1))
    })
    client.on('error', (error) => this.lose(client, error))
    client.on('end', () => this.lose(client))
    try {
      await client.connect()
      await client.query(`LISTEN ${CHANNEL}; LISTEN "${this.beats}"`)
      // On this connection, because pool connections give up after two seconds, which the first heartbeat may need on a busy machine.
      await this.hear(limitMs, client)
      // Later heartbeats use it, and have less time than a busy machine needs to open it.
      await probe()
        .query('SELECT 1')
        .catch(() => {})
    } catch (error) {
      client.end().catch(() => {})
      throw error
    }
    if (this.closed) return client.end()
    this.client = client
    this.beat(client)
  }

  async stop(): Promise<void> {
    this.closed = true
    clearTimeout(this.timer)
    const client = this.client
    this.client = undefined
    await client?.end()
  }

  /**
   * Waits until this process has handled every notice committed so far, so that none of its caches holds what those changed. Notices arrive
   * in commit order. Returns at once while the listener is not live, since caches then hold nothing. A missing notice is not the caller's
   * error, whose change is committed; the heartbeat finds the same and ends the caches.
   */
  async caughtUp(): Promise<void> {
    if (!this.live) return
    this.waiting ??= this.noticeToSelf()
    await this.waiting
  }

  /** Sends one notice for all waiters: those of this turn of the event loop, and those who come while the previous notice is under way. */
  private async noticeToSelf(): Promise<void> {
    await Promise.all([this.underWay, new Promise((resolve) => setImmediate(resolve))])
    // In the same turn as the sending: a notice sent before a commit does not prove that the commit's notices have arrived.
    this.waiting = undefined
    const send = (nonce: string) => query('notice-to-self', HEARTBEAT, [this.beats, nonce], vital())
    this.underWay = this.arrival((nonce) => asService(() => send(nonce))).catch((error: Error) =>
      log().warn({ err: error.message }, 'a response did not wait for its change notice'),
    )
    await this.underWay
  }

  /** Sends a heartbeat and waits for it. Measures how far this process's clock differs from the database's. */
  private async hear(limitMs = 2 * HEARTBEAT_MS, on: Pick<pg.Pool, 'query'> = probe()): Promise<void> {
    const askedAt = Date.now()
    await this.arrival(async (nonce) => {
      const { rows } = await on.query<{ ms: number }>(HEARTBEAT, [this.beats, nonce])
      if (rows[0]) setDatabaseClock(rows[0].ms, askedAt)
    }, limitMs)
    this.answeredAt = performance.now()
  }

  /** Sends this process a notice and waits for it. Rejects when it does not arrive in time. */
  private async arrival(send: (nonce: string) => Promise<unknown>, limitMs = 2 * HEARTBEAT_MS): Promise<void> {
    const nonce = String(++this.beatCount)
    const { promise: arrived, resolve, reject } = Promise.withResolvers<void>()
    this.awaited.set(nonce, resolve)
    const isLate = () => reject(new Error('a heartbeat did not arrive: change notices are lost'))
    // After a round of the event loop, so that what arrived while this process was busy is received first.
    const late = setTimeout(() => setImmediate(isLate), limitMs)
    try {
      await Promise.all([send(nonce), arrived])
    } finally {
      clearTimeout(late)
      this.awaited.delete(nonce)
    }
  }

  private beat(client: pg.Client): void {
    this.timer = setTimeout(() => {
      this.hear().then(
        () => {
          if (this.client === client) this.beat(client)
        },
        (error: Error) => this.lose(client, error),
      )
    }, HEARTBEAT_MS)
    this.timer.unref()
  }

  private lose(client: pg.Client, error?: Error): void {
    if (this.client !== client) return
    this.client = undefined
    clearTimeout(this.timer)
    this.events.emit('lost')
    if (this.closed) return
    log().warn({ err: error?.message }, 'the change listener lost its connection; caches are disabled until it reconnects')
    client.end().catch(() => {})
    this.retry()
  }

  private retry(): void {
    this.start(2 * HEARTBEAT_MS).catch(() => {
      if (!this.closed) setTimeout(() => this.retry(), 250).unref()
    })
  }
}

declare module '../container.ts' {
  interface Services {
    notifications: NotificationListener
  }
}

export const notifications = () => services().notifications
