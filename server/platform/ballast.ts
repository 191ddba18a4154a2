import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, ftruncateSync, openSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { freeBytes } from './disk-space.ts'
import { log } from './log.ts'

/** What is given back at once is this part of the whole. */
const STEPS = 4
const PART = 1024 ** 2
/** How often free space is looked at; a look takes microseconds. */
const LOOK_MS = 200

interface Options {
  /** Of the embedded database. */
  dataDir: string
  /** Bytes kept when there is room. */
  size: number
}

/**
 * A file that keeps room for the embedded database. When something outside fills the volume it gives back one step after another, each
 * once the last is used up, so that revoking a key still works; it grows again when there is room (docs/decisions/0029).
 */
export class Ballast {
  private readonly path: string
  private readonly dataDir: string
  private readonly size: number
  private readonly step: number
  private timer: NodeJS.Timeout | undefined
  private looking: Promise<void> = Promise.resolve()
  private stopped = false

  constructor({ dataDir, size }: Options) {
    this.dataDir = dataDir
    this.size = size
    this.step = Math.ceil(size / STEPS)
    this.path = join(dataDir, 'ballast')
  }

  /** Gives back what a full volume needs before the database starts, then goes on looking. */
  async start(): Promise<void> {
    await this.lookOrSay()
    this.schedule()
  }

  /** Ends looking. The file stays: it keeps the room for the next start. */
  async stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    await this.looking
  }

  /** Bytes kept now. */
  kept(): number {
    return existsSync(this.path) ? statSync(this.path).size : 0
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      this.looking = this.lookOrSay().then(() => (this.stopped ? undefined : this.schedule()))
    }, LOOK_MS)
    this.timer.unref()
  }

  /** A volume that cannot be asked, or that takes no file, is no reason to stop the service. */
  private lookOrSay(): Promise<void> {
    return this.look().catch((error: Error) => log().warn({ err: error.message }, 'the ballast could not be changed'))
  }

  private async look(): Promise<void> {
    const free = await freeBytes(this.dataDir)
    const kept = this.kept()
    if (free < this.step / 2 && kept > 0) return this.give(Math.max(0, kept - this.step))
    // A volume on which one step is most of what is free would only fill and give back in turns.
    if (free >= 4 * this.step && kept < this.size) await this.grow(kept, Math.min(this.size, kept + this.step))
    else if (kept > this.size) this.give(this.size)
  }

  private give(left: number): void {
    const file = openSync(this.path, 'r+')
    try {
      ftruncateSync(file, left)
    } finally {
      closeSync(file)
    }
    log().error(
      { left },
      'the volume of DATA_DIR is full: room kept for the database is given back. Make room, or the database stops next.',
    )
  }

  /** Writes bytes that no file system can compress or leave out. */
  private async grow(from: number, to: number): Promise<void> {
    const file = await open(this.path, 'a', 0o600)
    try {
      for (let at = from; at < to; at += PART) await file.write(randomBytes(Math.min(PART, to - at)))
      await file.datasync()
    } finally {
      await file.close()
    }
  }
}
