import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { env } from '../../../platform/config/config.ts'
import { query, type Runner, transaction } from '../../../platform/database/database.ts'
import { type Spool, SpoolSpace } from '../../../platform/files/spool.ts'
import { etagOfDigest } from '../../../platform/network/etag.ts'
import { Turns } from '../../../platform/turns/turns.ts'
import { VISIBLE } from '../owned-video.ts'
import { VIDEO_JSON } from '../presenter.ts'

/** Videos that one statement reads. A longer list is read in slices. */
const SHORT = 500
/** Videos per slice. Their rows occupy the event loop for a fraction of a millisecond. */
const SLICE = 250
const RETRY_AFTER_SEC = 5
/** Long lists that this process renders at once: each uses a pool connection and a database core. */
const LONG = { name: 'lists', places: 2, share: 1, queue: 500, retryAfter: RETRY_AFTER_SEC } as const
/** An account has the spool of its current list, one being written, and earlier ones that slow readers hold. */
const SPACE = { bytes: 4 * 1024 ** 3, ofOwner: 4, retryAfter: RETRY_AFTER_SEC }

/** Renders this process's lists of videos. Limits the work and the disk space for long ones. */
export class ListRenderer {
  private readonly turns = new Turns(LONG)
  private readonly space: SpoolSpace
  /** By account: the rendering that has not started, and the end of the last one. */
  private readonly waiting = new Map<string, Promise<RenderedList>>()
  private readonly ended = new Map<string, Promise<void>>()

  constructor(space = SPACE) {
    this.space = new SpoolSpace(space)
  }

  /** Returns every video of the account, newest first, then by ID. Errors: TurnRefused while there is too much to render. */
  async render(accountId: string): Promise<RenderedList> {
    const rows = await query<{ json: string }>('videos-of-account', `${LIST} LIMIT ${SHORT + 1}`, [accountId])
    if (rows.length > SHORT) return this.renderLong(accountId)
    const sink = new ListSink(this.space, accountId)
    await sink.add(rows.map(({ json }) => json))
    return sink.finish()
  }

  /** Renders an account's lists one after another. Callers share a rendering that has not started, since it reads their state too. */
  private renderLong(accountId: string): Promise<RenderedList> {
    const waiting = this.waiting.get(accountId)
    if (waiting) return waiting
    const begin = () => {
      this.waiting.delete(accountId)
      return transaction((on) => this.inSlices(accountId, on))
    }
    const mine = (this.ended.get(accountId) ?? Promise.resolve()).then(() => this.turns.run([accountId, ''], begin))
    const ended = mine.then(
      () => {},
      () => {},
    )
    this.waiting.set(accountId, mine)
    this.ended.set(accountId, ended)
    void ended.then(() => {
      if (this.waiting.get(accountId) === mine) this.waiting.delete(accountId)
      if (this.ended.get(accountId) === ended) this.ended.delete(accountId)
    })
    return mine
  }

  /** Reads a cursor, which shows one snapshot however long the list is. */
  private async inSlices(accountId: string, on: Runner): Promise<RenderedList> {
    const sink = new ListSink(this.space, accountId)
    try {
      await on.query({ text: `DECLARE videos NO SCROLL CURSOR FOR ${LIST}`, values: [accountId] })
      const fetchSlice = () => on.query<[string]>({ text: `FETCH ${SLICE} FROM videos`, rowMode: 'array' })
      for (let slice = fetchSlice(); ; ) {
        const { rows } = await slice
        if (rows.length === 0) return await sink.finish()
        // The database reads the next slice while this one is written.
        slice = fetchSlice()
        await Promise.all([sink.add(rows.map(([json]) => json)), slice])
      }
    } catch (error) {
      sink.discard()
      throw error
    }
  }
}

const LIST = `SELECT ${VIDEO_JSON} AS json FROM video WHERE account_id = $1 AND ${VISIBLE} ORDER BY created_at DESC, id`

/** A list's rendered envelope (specification §4.1): its bytes, or a spool if there are many. */
export interface RenderedList {
  etag: string
  bytes: number
  content: Buffer | Spool
}

/** Maximum bytes of a list held in memory. */
const MEMORY_BYTES = 1024 ** 2

/** Joins rendered videos into a list's envelope. */
class ListSink {
  private readonly hash = createHash('sha256')
  private readonly space: SpoolSpace
  private readonly accountId: string
  private separator = '{"success":true,"data":['
  private parts: Buffer[] = []
  /** Memory of the chunk being appended to the spool. */
  private memory = Buffer.alloc(0)
  private bytes = 0
  private spool: Spool | undefined

  constructor(space: SpoolSpace, accountId: string) {
    this.space = space
    this.accountId = accountId
  }

  /** Adds videos, each as JSON. Errors: TurnRefused if there is no space for a long list. */
  async add(videos: string[]): Promise<void> {
    if (videos.length === 0) return
    await this.write(this.separator + videos.join(','))
    this.separator = ','
  }

  /** Returns the complete list. */
  async finish(): Promise<RenderedList> {
    await this.write(this.separator === ',' ? ']}' : `${this.separator}]}`)
    const etag = etagOfDigest(this.hash.digest())
    return { etag, bytes: this.bytes, content: this.spool ?? Buffer.concat(this.parts) }
  }

  /** Frees what was added. */
  discard(): void {
    this.spool?.release()
  }

  /** Reuses memory for spool chunks: a list of a million videos would leave hundreds of megabytes to collect. */
  private encode(text: string): Buffer {
    // A UTF-16 code unit takes at most three bytes.
    if (text.length * 3 > this.memory.byteLength) return Buffer.from(text)
    return this.memory.subarray(0, this.memory.write(text))
  }

  private async write(text: string): Promise<void> {
    const part = this.encode(text)
    this.hash.update(part)
    this.bytes += part.byteLength
    if (this.spool) return this.spool.append(part)
    this.parts.push(part)
    if (this.bytes <= MEMORY_BYTES) return
    this.spool = await this.space.create(join(env().DATA_DIR, 'lists'), this.accountId)
    const head = Buffer.concat(this.parts)
    this.memory = Buffer.allocUnsafeSlow(MEMORY_BYTES)
    this.parts = []
    await this.spool.append(head)
  }
}
