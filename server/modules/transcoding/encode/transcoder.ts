import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { notifications } from '../../../platform/database/notifications.ts'
import { log } from '../../../platform/observe/log.ts'
import { intake } from '../tasks/intake.ts'
import type { TaskKind, TranscodeLease } from '../tasks/lease.ts'
import { LAST, leaseNext, PICTURE, queuedMediaOf, SOUND } from '../tasks/queue.ts'
import { runTask } from '../tasks/run.ts'
import { workerPins } from '../tasks/worker-pins.ts'

/** Interval of polling when idle, for attempts that are due and expired leases; notifications announce new tasks. */
const POLL_MS = 2_000

/** Time in which other workers may take the sound of a video before a worker that searches: chunks wait for the search. */
const LEFT_MS = 5_000

/** How long a track, which lasts as long as its video, holds up others. Then that of the next account is encoded as well. */
const HOLDS_MS = 60_000
/** Tracks of sound at once, each of another account. */
const MOST_TRACKS = 4

/** Runs the tasks of queued videos: `concurrency` of the picture at once, one of sound, and one last step. Any number of processes may run one each. */
export class Transcoder {
  private readonly leaving = new AbortController()
  private readonly idle = new Set<() => void>()
  private readonly slots: Promise<void>[]
  /** The tasks at present, by the first of those that follow from one another; `since` is in milliseconds of `performance.now`. */
  private readonly running = new Map<TranscodeLease, { task: TranscodeLease; since: number }>()
  private readonly leasing = new Set<Promise<unknown>>()
  private leasesTrack = false
  private readonly unsubscribe: () => void
  /** Called when a task begins: it comes before work of lower priority. */
  onBegin: () => void = () => {}

  constructor(concurrency: number) {
    this.unsubscribe = notifications().on('transcode-due', () => this.wake())
    this.slots = [...new Array<typeof PICTURE>(concurrency).fill(PICTURE), ...new Array<typeof SOUND>(MOST_TRACKS).fill(SOUND), LAST].map(
      (kinds) => this.work(kinds),
    )
  }

  /** Whether a task is running. */
  get isBusy(): boolean {
    return this.running.size > 0
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
      const lease = await (kinds === SOUND ? this.leaseTrack() : this.leaseOther(kinds))
      if (!lease) return false
      const onBegin = (task: TranscodeLease) => {
        this.running.set(lease, { task, since: performance.now() })
        this.onBegin()
        this.wake()
      }
      await runTask(lease, signal, onBegin).catch((error: Error) => {
        if (!signal.aborted) log().warn({ err: error, videoId: lease.videoId }, 'retrying a task')
      })
      this.running.delete(lease)
      this.wake()
      return true
    } catch (error) {
      if (signal.aborted) return false
      intake().databaseFailed()
      log().warn({ err: (error as Error).message }, 'could not read the transcoding queue; retrying')
      await wait(1_000, undefined, { signal }).catch(() => {})
      return false
    }
  }

  private async leaseOther(kinds: readonly TaskKind[]): Promise<TranscodeLease | undefined> {
    const leasing = leaseNext(kinds, workerPins())
    this.leasing.add(leasing)
    return leasing.finally(() => this.leasing.delete(leasing))
  }

  private async leaseTrack(): Promise<TranscodeLease | undefined> {
    // All slots are woken at once. What the others lease decides which tracks this worker leaves.
    await nextTurn()
    await Promise.allSettled(this.leasing)
    await nextTurn()
    const tracks = [...this.running.values()].filter(({ task }) => task.kind === 'audio')
    if (this.leasesTrack || tracks.some(({ since }) => performance.now() - since < HOLDS_MS)) return undefined
    this.leasesTrack = true
    try {
      const others = tracks.length > 0 ? await queuedMediaOf(tracks.map(({ task }) => task.accountId)) : []
      return await leaseNext(SOUND, workerPins(), [...this.leftTracks(), ...others])
    } finally {
      this.leasesTrack = false
    }
  }

  /**
   * Returns the videos whose sound this worker leaves to others or takes later: that of which it encodes the first chunk, because both would
   * share the processor and the video is playable once both have begun, and at first that of which it searches for rate factors.
   */
  private leftTracks(): string[] {
    const isLeft = ({ kind, position }: TranscodeLease, since: number) =>
      kind === 'plan' || (kind === 'video' && position === 0) || (kind === 'quality' && performance.now() - since < LEFT_MS)
    return [...this.running.values()].filter(({ task, since }) => isLeft(task, since)).map(({ task }) => task.mediaId)
  }
}
