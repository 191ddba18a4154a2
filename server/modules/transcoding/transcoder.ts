import { setTimeout as wait } from 'node:timers/promises'
import { log } from '../../platform/log.ts'
import { notifications } from '../../platform/notifications.ts'
import { intake } from './intake.ts'
import type { TaskKind } from './lease.ts'
import { leaseNext } from './queue.ts'
import { runTask } from './run.ts'
import { workerPins } from './worker-pins.ts'

/** Interval of polling when idle, for attempts that are due and expired leases; notifications announce new tasks. */
const POLL_MS = 2_000

const PICTURE: readonly TaskKind[] = ['plan', 'copy', 'quality', 'video', 'finish']
/** Sound has a slot of its own: a track is one long task, for which no chunk of another video must wait. */
const SOUND: readonly TaskKind[] = ['audio']

/** Runs the tasks of queued videos, `concurrency` at once, and one of sound. Any number of processes may run one each. */
export class Transcoder {
  private readonly leaving = new AbortController()
  private readonly idle = new Set<() => void>()
  private readonly slots: Promise<void>[]
  private readonly unsubscribe: () => void

  constructor(concurrency: number) {
    this.unsubscribe = notifications().on('transcode-due', () => this.wake())
    this.slots = [...Array.from({ length: concurrency }, () => PICTURE), SOUND].map((kinds) => this.work(kinds))
  }

  /** Interrupts the running attempts and returns their tasks; resolves when none is left. */
  async stop(): Promise<void> {
    this.unsubscribe()
    this.leaving.abort(new Error('The worker is stopping.'))
    this.wake()
    await Promise.all(this.slots)
  }

  private wake(): void {
    for (const begin of this.idle) begin()
    this.idle.clear()
  }

  private async work(kinds: readonly TaskKind[]): Promise<void> {
    const { signal } = this.leaving
    while (!signal.aborted) {
      let timer: NodeJS.Timeout | undefined
      // Registers before polling, so that no notification is missed in between.
      const woken = new Promise<void>((resolve) => {
        this.idle.add(resolve)
        timer = setTimeout(resolve, POLL_MS)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      if (!(await this.takeOne(kinds))) await woken
      clearTimeout(timer)
    }
  }

  /** Returns whether a task was due. */
  private async takeOne(kinds: readonly TaskKind[]): Promise<boolean> {
    const { signal } = this.leaving
    try {
      await intake().opened(signal)
      const lease = await leaseNext(kinds, workerPins())
      if (!lease) return false
      await runTask(lease, signal).catch((error: Error) => {
        if (!signal.aborted) log().warn({ err: error, videoId: lease.videoId }, 'a task is retried')
      })
      return true
    } catch (error) {
      if (signal.aborted) return false
      intake().databaseFailed()
      log().warn({ err: (error as Error).message }, 'the transcode queue could not be read; retrying')
      await wait(1_000, undefined, { signal }).catch(() => {})
      return false
    }
  }
}
