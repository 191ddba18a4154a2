import { query, type Runner, transaction } from '../../../platform/database/database.ts'
import { SpoolSpace } from '../../../platform/files/spool.ts'
import { Turns } from '../../../platform/turns/turns.ts'
import { VIDEO_JSON } from '../presenter.ts'
import { VISIBLE } from '../served.ts'
import { ListSink, type RenderedList } from './list-sink.ts'

/** Videos that one statement reads; a longer list is read in slices. */
const SHORT = 500
/** Videos of a slice. Their rows occupy the event loop for a fraction of a millisecond. */
const SLICE = 250
const RETRY_AFTER_SEC = 5
/** Long lists rendered at once by this process: each uses a connection of the pool and a core of the database. */
const LONG = { name: 'lists', places: 2, share: 1, queue: 500, retryAfter: RETRY_AFTER_SEC } as const
/** An account has the spool of its present list, one being written, and earlier ones that slow readers hold. */
const SPACE = { bytes: 4 * 1024 ** 3, ofOwner: 4, retryAfter: RETRY_AFTER_SEC }

/** Renders the lists of videos of this process; bounds the work and the disk space for long ones. */
export class ListRenderer {
  private readonly turns = new Turns(LONG)
  private readonly space: SpoolSpace
  /** By account: the rendering that has not begun, and the end of the last one. */
  private readonly waiting = new Map<string, Promise<RenderedList>>()
  private readonly ended = new Map<string, Promise<void>>()

  constructor(space = SPACE) {
    this.space = new SpoolSpace(space)
  }

  /** Returns every video of the account, newest first, then by id. Errors: TurnRefused while there is too much to render. */
  async render(accountId: string): Promise<RenderedList> {
    const rows = await query<{ json: string }>('videos-of-account', `${LIST} LIMIT ${SHORT + 1}`, [accountId])
    if (rows.length > SHORT) return this.renderLong(accountId)
    const sink = new ListSink(this.space, accountId)
    await sink.add(rows.map(({ json }) => json))
    return sink.finish()
  }

  /** Renders one list of an account after the other. Callers share a rendering that has not begun, since it reads their state too. */
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
