import { CHANNEL, type PlayerCommand, type PlayerState } from '../../../../../../_parts/player/channel.ts'

const NOTHING: PlayerState = {
  ...{ currentTime: 0, duration: 0, paused: true, ended: false, muted: false, volume: 1, playbackRate: 1 },
  ...{ videoWidth: 0, videoHeight: 0 },
}

/** Controls the player in a frame, and knows its time between the messages that it sends four times a second. */
export class PlayerLink {
  private frame: HTMLIFrameElement | null = null
  private state = NOTHING
  private heardAt = 0
  private isReady = false
  /** Where it goes once it can. */
  private wanted: number | undefined
  private stopsAt: number | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly listeners = new Set<() => void>()

  readonly attach = (frame: HTMLIFrameElement | null): void => {
    this.frame = frame
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.listeners.size === 0) addEventListener('message', this.hear)
    this.listeners.add(listener)
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) removeEventListener('message', this.hear)
    }
  }
  readonly snapshot = (): PlayerState => this.state

  /** Milliseconds from the beginning of the video. */
  get nowMs(): number {
    const { currentTime, paused, playbackRate } = this.state
    return 1_000 * currentTime + (paused ? 0 : playbackRate * (performance.now() - this.heardAt))
  }

  toggle(): void {
    this.stopsAt = undefined
    this.ask({ channel: CHANNEL, command: this.state.paused ? 'play' : 'pause' })
  }

  seek(ms: number): void {
    const value = Math.max(0, ms / 1_000)
    this.stopsAt = undefined
    if (!this.isReady) this.wanted = value
    // Shown at once: the player answers when it has found the picture.
    this.show({ ...this.state, currentTime: value })
    this.ask({ channel: CHANNEL, command: 'seek', value })
  }

  /** Plays from a time to another, and pauses there. */
  playBetween(startMs: number, endMs: number): void {
    this.seek(startMs)
    this.stopsAt = endMs
    this.ask({ channel: CHANNEL, command: 'play' })
  }

  private readonly hear = ({ source, data }: MessageEvent<{ channel?: string; type?: string; state?: PlayerState } | null>): void => {
    if (!this.frame || source !== this.frame.contentWindow || data?.channel !== CHANNEL || !data.state) return
    if (data.type === 'ready') {
      this.isReady = true
      if (this.wanted !== undefined) this.ask({ channel: CHANNEL, command: 'seek', value: this.wanted })
      this.wanted = undefined
    }
    this.show(data.state)
  }

  private show(state: PlayerState): void {
    this.state = state
    this.heardAt = performance.now()
    clearTimeout(this.timer)
    if (this.stopsAt !== undefined && !state.paused) {
      this.timer = setTimeout(
        () => {
          this.stopsAt = undefined
          this.ask({ channel: CHANNEL, command: 'pause' })
        },
        (this.stopsAt - this.nowMs) / state.playbackRate,
      )
    }
    for (const listener of this.listeners) listener()
  }

  private ask(command: PlayerCommand): void {
    if (this.frame?.src) this.frame.contentWindow?.postMessage(command, new URL(this.frame.src).origin)
  }
}
