import { EventEmitter } from 'node:events'
import pg from 'pg'
import { setDatabaseClock } from './clock.ts'
import { env } from './config.ts'
import { services } from './container.ts'
import { log } from './log.ts'

const CHANNEL = 'reelgate'
const HEARTBEAT_MS = 400

/**
 * Listens on one connection per process. Topics are the first word of a payload (`key`, `video`, `account`); the rest is the subject.
 * `live` is false at once when the connection ends, and three heartbeat intervals after the last heartbeat when it is silent. Caches hold
 * nothing while it is false.
 */
export class NotificationListener {
  private readonly events = new EventEmitter().setMaxListeners(0)
  private client: pg.Client | undefined
  private timer: NodeJS.Timeout | undefined
  private closed = false
  private answeredAt = 0

  get live(): boolean {
    return this.client !== undefined && performance.now() - this.answeredAt < 3 * HEARTBEAT_MS
  }

  /** Calls `react(subject)` for each change; returns a function that unsubscribes. */
  on(topic: string, react: (subject: string) => void): () => void {
    this.events.on(topic, react)
    return () => this.events.off(topic, react)
  }

  /** Calls `react` whenever notices may have been missed. */
  onLost(react: () => void): () => void {
    this.events.on('lost', react)
    return () => this.events.off('lost', react)
  }

  async start(): Promise<void> {
    if (this.closed) return
    const client = new pg.Client({
      connectionString: env().DATABASE_URL,
      application_name: 'reelgate listener',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      // A silently cut connection never responds; without this, one that is cut before LISTEN would be awaited indefinitely.
      query_timeout: 2 * HEARTBEAT_MS,
    })
    client.on('notification', ({ payload = '' }) => {
      const cut = payload.indexOf(':')
      this.events.emit(payload.slice(0, cut), payload.slice(cut + 1))
    })
    client.on('error', (error) => this.lose(client, error))
    client.on('end', () => this.lose(client))
    try {
      await client.connect()
      await client.query(`LISTEN ${CHANNEL}`)
      await this.hear(client)
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

  /** Sends a heartbeat, which also measures the difference between this process's clock and the database's. */
  private async hear(client: pg.Client): Promise<void> {
    const askedAt = Date.now()
    const { rows } = await client.query<{ ms: number }>('SELECT (extract(epoch FROM service_now()) * 1000)::float8 AS ms')
    if (rows[0]) setDatabaseClock(rows[0].ms, askedAt)
    this.answeredAt = performance.now()
  }

  private beat(client: pg.Client): void {
    this.timer = setTimeout(() => {
      this.hear(client).then(
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
    this.start().catch(() => {
      if (!this.closed) setTimeout(() => this.retry(), 250).unref()
    })
  }
}

declare module './container.ts' {
  interface Services {
    notifications: NotificationListener
  }
}

export const notifications = () => services().notifications
