import { setTimeout as wait } from 'node:timers/promises'
import { notifications } from '../../../platform/database/notifications.ts'
import { log } from '../../../platform/observe/log.ts'
import { speechChoice } from '../../../platform/speech/speech-choice.ts'
import type { Transcoder } from '../encode/transcoder.ts'
import { intake } from '../tasks/intake.ts'
import { isAnyDue, LAST, PICTURE, SOUND } from '../tasks/queue.ts'
import { workerPins } from '../tasks/worker-pins.ts'
import { attemptTranscript } from './transcript-attempt.ts'
import { leaseNextTranscript } from './transcript-lease.ts'

/** Returns whether the engine is a server, which uses none of this machine's processor. */
function worksElsewhere(): boolean {
  const choice = speechChoice()
  return 'engine' in choice && choice.engine === 'http'
}

/** Interval of polling when idle, for chunks that are due and expired leases. */
const POLL_MS = 2_000

/**
 * Transcribes speech, one chunk at a time. With an engine on this machine, only while this process transcodes nothing and no task of a video
 * is due: a task that begins interrupts the chunk, which is due again at once. A server elsewhere takes nothing from videos.
 */
export class Transcriber {
  private readonly leaving = new AbortController()
  private readonly transcoder: Transcoder
  private readonly isRemote = worksElsewhere()
  private readonly done: Promise<void>
  private readonly unsubscribe: () => void
  private begin = () => {}
  /** Aborts the chunk in hand. */
  private current: AbortController | undefined

  constructor(transcoder: Transcoder) {
    this.transcoder = transcoder
    this.unsubscribe = notifications().on('transcript-due', () => this.begin())
    if (!this.isRemote) transcoder.onBegin = () => this.current?.abort(new Error('A video is transcoded first.'))
    this.done = 'off' in speechChoice() ? Promise.resolve() : this.work()
  }

  /** Interrupts the running attempt and returns its chunk. */
  async stop(): Promise<void> {
    this.unsubscribe()
    this.leaving.abort(new Error('The worker is stopping.'))
    this.begin()
    await this.done
  }

  private async work(): Promise<void> {
    const { signal } = this.leaving
    while (!signal.aborted) {
      let timer: NodeJS.Timeout | undefined
      // Registers before polling, so that no notification is missed in between.
      const woken = new Promise<void>((resolve) => {
        this.begin = resolve
        timer = setTimeout(resolve, POLL_MS)
      })
      if (!(await this.takeOne())) await woken
      clearTimeout(timer)
    }
  }

  /** Returns whether a chunk was due. */
  private async takeOne(): Promise<boolean> {
    const { signal } = this.leaving
    try {
      await intake().opened(signal)
      if (!this.isRemote && (this.transcoder.isBusy || (await isAnyDue([...PICTURE, ...SOUND, ...LAST])))) return false
      const lease = await leaseNextTranscript(workerPins())
      if (!lease) return false
      this.current = new AbortController()
      if (!this.isRemote && this.transcoder.isBusy) this.current.abort()
      await attemptTranscript(lease, AbortSignal.any([signal, this.current.signal]))
      return true
    } catch (error) {
      if (signal.aborted || this.current?.signal.aborted) return false
      log().warn({ err: (error as Error).message }, 'could not transcribe; retrying')
      await wait(1_000, undefined, { signal }).catch(() => {})
      return false
    } finally {
      this.current = undefined
    }
  }
}
