import { setTimeout as wait } from 'node:timers/promises'
import { log } from '../../platform/log.ts'
import { notifications } from '../../platform/notifications.ts'
import { intake } from './intake.ts'
import { leaseNext } from './queue.ts'
import { transcode } from './run.ts'

/** Interval of polling when idle, for attempts that are due and expired leases; notifications announce new videos. */
const POLL_MS = 2_000

/** Transcodes queued videos, `concurrency` at once. Any number of processes may run one each. */
export class Transcoder {
  private readonly leaving = new AbortController()
  private readonly idle = new Set<() => void>()
  private readonly slots: Promise<void>[]
  private readonly unsubscribe: () => void

  constructor(concurrency: number) {
    this.unsubscribe = notifications().on('transcode-due', () => this.wake())
    this.slots = Array.from({ length: concurrency }, () => this.work())
  }

  /** Interrupts the running attempts and releases their videos; resolves when none is left. */
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

  private async work(): Promise<void> {
    const { signal } = this.leaving
    while (!signal.aborted) {
      let timer: NodeJS.Timeout | undefined
      // Registers before polling, so that no notification is missed in between.
      const woken = new Promise<void>((resolve) => {
        this.idle.add(resolve)
        timer = setTimeout(resolve, POLL_MS)
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      if (!(await this.takeOne())) await woken
      clearTimeout(timer)
    }
  }

  /** Returns whether a video was due. */
  private async takeOne(): Promise<boolean> {
    const { signal } = this.leaving
    try {
      await intake().opened(signal)
      const lease = await leaseNext()
      if (!lease) return false
      await transcode(lease, signal).catch((error: Error) => {
        if (!signal.aborted) log().warn({ err: error, videoId: lease.videoId }, 'a video is retried')
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
