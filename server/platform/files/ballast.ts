import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, ftruncateSync, openSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { log } from '../observe/log.ts'
import { freeBytes } from './disk-space.ts'

/** Number of steps. One step is released at a time. */
const STEPS = 4
const PART = 1024 ** 2
/** Milliseconds between checks of free space. A check takes microseconds. */
const CHECK_MS = 200

interface Options {
  /** DATA_DIR of the embedded database. */
  dataDir: string
  /** Bytes to reserve while there is enough space. */
  size: number
}

/**
 * A file that reserves disk space for the embedded database. When something else fills the volume, it releases one step after another, each
 * once the last is used up, so that key revocation keeps working. It grows again when there is space.
 */
export class Ballast {
  private readonly path: string
  private readonly dataDir: string
  private readonly size: number
  private readonly step: number
  private timer: NodeJS.Timeout | undefined
  private checking: Promise<void> = Promise.resolve()
  private stopped = false

  constructor({ dataDir, size }: Options) {
    this.dataDir = dataDir
    this.size = size
    this.step = Math.ceil(size / STEPS)
    this.path = join(dataDir, 'ballast')
  }

  /** Releases what a full volume needs before the database starts, then checks periodically. */
  async start(): Promise<void> {
    await this.checkSafely()
    this.schedule()
  }

  /** Ends the checks. The file stays and reserves the space for the next start. */
  async stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    await this.checking
  }

  /** Returns the bytes currently reserved. */
  kept(): number {
    return existsSync(this.path) ? statSync(this.path).size : 0
  }

  private schedule(): void {
    this.timer = setTimeout(() => {
      this.checking = this.checkSafely().then(() => (this.stopped ? undefined : this.schedule()))
    }, CHECK_MS)
    this.timer.unref()
  }

  /** Checks once and logs errors: a volume that cannot be measured or written must not stop the service. */
  private checkSafely(): Promise<void> {
    return this.adjust().catch((error: Error) => log().warn({ err: error.message }, 'could not resize the ballast file'))
  }

  private async adjust(): Promise<void> {
    const free = await freeBytes(this.dataDir)
    const kept = this.kept()
    if (free < this.step / 2 && kept > 0) return this.give(Math.max(0, kept - this.step))
    // If one step were most of the free space, the file would alternate between growing and shrinking.
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
      'the volume of DATA_DIR is full: released part of the ballast file for the database. Free disk space, or the database will stop.',
    )
  }

  /** Writes random bytes, which no file system can compress or omit. */
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
