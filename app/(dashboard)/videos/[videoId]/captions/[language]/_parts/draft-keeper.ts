import { type Cue, toVtt } from './cue-document.ts'

/** Where a draft stands on the server. */
export interface Place {
  /** 0 while there is none. */
  revision: number
  /** The name of the published captions that it began with. Null without any. */
  basedOn: string | null
}
export interface Sent extends Place {
  text: string
}
/** The draft of another person that is stored instead. Null if they published or discarded it. */
export type Theirs = { revision: number; by: string; at: Date } | null

export type Saving =
  | { state: 'saved' | 'waiting' | 'saving' }
  | { state: 'failed'; message: string }
  /** Nothing is saved until the person has chosen. */
  | { state: 'conflict'; theirs: Theirs }

interface Connection {
  save: (sent: Sent) => Promise<{ revision: number }>
  /** Returns the draft of another person that a refusal names; undefined for any other failure. */
  theirsOf: (error: unknown) => Theirs | undefined
  /** Keeps in the browser what the server has not accepted; undefined once it has accepted everything. */
  keep: (unsaved: Sent | undefined) => void
}

/** How long a pause in the work is before it is saved, and how long it goes unsaved without one. */
const PAUSE_MS = 1_000
const LONGEST_MS = 8_000
const MOST_RETRY_MS = 60_000
/** How long a change is in memory alone. */
const KEEP_MS = 300
/** Browsers finish requests of a closed page up to 64 KB. */
const KEPT_CHARACTERS = 18_000

/**
 * Saves a document as a draft shortly after each change: one request at a time, again after a failure, and never over another's draft. Keeps
 * in the browser what is not saved yet.
 */
export class DraftKeeper {
  saving: Saving = { state: 'saved' }
  place: Place
  /** When it last got its place. */
  placedAt = Date.now()
  private readonly connection: Connection
  private saved: readonly Cue[]
  private current: readonly Cue[]
  private timer: ReturnType<typeof setTimeout> | undefined
  private keeping: ReturnType<typeof setTimeout> | undefined
  private unsavedSince = 0
  private running: Promise<void> | undefined
  private failures = 0
  private readonly listeners = new Set<() => void>()

  constructor(connection: Connection, saved: readonly Cue[], place: Place) {
    this.connection = connection
    this.saved = saved
    this.current = saved
    this.place = place
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
  readonly snapshot = (): Saving => this.saving

  change(cues: readonly Cue[]): void {
    if (cues === this.current) return
    if (this.current === this.saved) this.unsavedSince = Date.now()
    this.current = cues
    this.keeping ??= setTimeout(() => this.keep(), KEEP_MS)
    if (this.saving.state !== 'conflict' && this.running === undefined) this.schedule()
  }

  /** Saves what is not saved yet, now. Returns whether everything is. */
  async flush(): Promise<boolean> {
    // It may carry only a new place, with which nothing looks unsaved.
    if (this.running) await this.running
    while (this.current !== this.saved && this.saving.state !== 'conflict') {
      await this.send()
      if (this.saving.state === 'failed') return false
    }
    clearTimeout(this.timer)
    return this.saving.state !== 'conflict'
  }

  /** Saves as the page closes. Returns false if the browser may end before that, so that the person is asked to stay. */
  leave(): boolean {
    if (this.current === this.saved) return true
    this.keep()
    const isFree = this.running === undefined && this.saving.state === 'waiting'
    void this.flush()
    return isFree && toVtt(this.current).length <= KEPT_CHARACTERS
  }

  /** Saves in place of the draft and the captions that the person has been shown, and of no later ones. */
  keepMine(shown: Place): void {
    this.place = shown
    if (this.running) void this.running.then(() => this.send())
    else void this.send()
  }

  /** Goes on from captions that were published meanwhile. The next save says so. */
  rebase(basedOn: string | null): void {
    this.place = { ...this.place, basedOn }
  }

  /** Waits for the person's choice: another person's draft is stored. */
  collide(theirs: Theirs): void {
    clearTimeout(this.timer)
    this.show({ state: 'conflict', theirs })
  }

  /**
   * Saves everything, and publishes it: `publish` gets the draft's revision and returns the name of the captions. What is typed meanwhile
   * becomes the next draft. Returns false if the draft could not be saved. Errors: as `publish`.
   */
  async publish(publish: (revision: number) => Promise<string | null>): Promise<boolean> {
    if (!(await this.flush())) return false
    const cues = this.current
    const { promise, resolve } = Promise.withResolvers<void>()
    this.running = promise
    this.show({ state: 'saving' })
    try {
      this.place = { revision: 0, basedOn: await publish(this.place.revision) }
      this.placedAt = Date.now()
      this.saved = cues
      return true
    } finally {
      this.running = undefined
      resolve()
      this.schedule()
    }
  }

  /** Goes on from what is stored, which `cues` show. */
  settle(cues: readonly Cue[], place: Place): void {
    clearTimeout(this.timer)
    this.current = this.saved = cues
    this.place = place
    this.placedAt = Date.now()
    this.show({ state: 'saved' })
  }

  private schedule(): void {
    clearTimeout(this.timer)
    if (this.current === this.saved) {
      this.show({ state: 'saved' })
      return
    }
    this.timer = setTimeout(() => void this.send(), Math.min(PAUSE_MS, Math.max(0, this.unsavedSince + LONGEST_MS - Date.now())))
    if (this.saving.state !== 'failed') this.show({ state: 'waiting' })
  }

  private send(): Promise<void> {
    clearTimeout(this.timer)
    this.running ??= this.request(this.current)
    return this.running
  }

  private async request(cues: readonly Cue[]): Promise<void> {
    this.show({ state: 'saving' })
    try {
      const { revision } = await this.connection.save({ text: toVtt(cues), ...this.place })
      this.failures = 0
      this.saved = cues
      this.unsavedSince = Date.now()
      this.place = { ...this.place, revision }
      this.placedAt = Date.now()
      this.running = undefined
      this.schedule()
    } catch (error) {
      this.running = undefined
      const theirs = this.connection.theirsOf(error)
      if (theirs !== undefined) return this.collide(theirs)
      this.timer = setTimeout(() => void this.send(), Math.min(2_000 * 2 ** this.failures, MOST_RETRY_MS))
      this.failures++
      this.show({ state: 'failed', message: (error as Error).message })
    }
  }

  private keep(): void {
    clearTimeout(this.keeping)
    this.keeping = undefined
    this.connection.keep(this.current === this.saved ? undefined : { text: toVtt(this.current), ...this.place })
  }

  private show(saving: Saving): void {
    this.saving = saving
    if (saving.state !== 'waiting' && saving.state !== 'saving') this.keep()
    for (const listener of this.listeners) listener()
  }
}
