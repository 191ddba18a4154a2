import type { ErrorKind } from '#server/modules/analytics/viewing/viewer-limits'
import type { ViewingReport } from '#server/modules/analytics/viewing/viewing-schema'
import { type NoticeName, noticeFor } from './notices.ts'
import { pageHost } from './page-host.ts'
import { playedParts } from './retention-parts.ts'
import { reasonOf } from './session.ts'
import { video } from './stage.ts'

const EVERY_MS = 30_000
/** Most stretches of one report. */
const MAX_SPANS = 100
/** Longest time that the service accepts: a page in the background begins to play whenever the viewer turns to it. */
const LONGEST_MS = 3_600_000

/**
 * Measures a viewing and reports it: after the first frame, every half minute, and when the page is left. Reports do not identify the
 * viewer.
 */
export class Reports {
  private readonly address: string
  private readonly onEnded: (notice: NoticeName) => void
  private readonly session = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  private permit: string | undefined
  private askedAt: number | undefined
  private startupMs: number | undefined
  private started = false
  /** The time and the position in seconds at which watched time was last added; undefined while the video does not play. */
  private ticked: { at: number; second: number } | undefined
  private watchMs = 0
  /** Milliseconds of `watchMs` by the height of the video. */
  private watched = new Map<number, number>()
  /** What was played and is not reported yet, in seconds of the video. */
  private spans: [number, number][] = []
  private stalledAt: number | undefined
  private rebufferMs = 0
  private rebuffers = 0
  private errors = 0
  private errorKind: ErrorKind | undefined
  private readonly reached = new Set<number>()
  private unsaid = new Set<number>()
  /** Whether the service was told that the viewer left, and has freed their place. */
  private left = false
  private readonly page = pageHost(window, document.referrer)

  /**
   * Calls `onEnded` when the owner ended the session, or its policy does not allow it from here: a player that already has its playlists does
   * not notice.
   */
  constructor(address: string, onEnded: (notice: NoticeName) => void) {
    this.address = address
    this.onEnded = onEnded
    video.addEventListener('play', () => this.wants())
    video.addEventListener('playing', () => this.plays())
    video.addEventListener('timeupdate', () => this.tick())
    video.addEventListener('waiting', () => this.stalls())
    // A seek within the buffer does not always fire `playing`.
    video.addEventListener('seeked', () => this.started && !video.paused && this.plays())
    for (const event of ['pause', 'ended']) video.addEventListener(event, () => this.count())
    for (const event of ['pause', 'ended', 'seeking', 'emptied']) video.addEventListener(event, () => this.rests())
    video.addEventListener('pause', () => this.send())
    video.addEventListener('ended', () => this.leaves())
    // The last event that phones fire reliably.
    document.addEventListener('visibilitychange', () => document.hidden && this.send())
    addEventListener('pagehide', () => this.leaves())
    // A report that failed may have been the last one.
    addEventListener('online', () => this.send())
    setInterval(() => this.send(), EVERY_MS)
  }

  /** Sends reports under the permit that opens the playlists. */
  follow(masterPlaylistUrl: string): void {
    this.permit = new URL(masterPlaylistUrl).pathname.split('/').at(-2)
  }

  /** Counts a notice that replaced the video. */
  failed(kind: ErrorKind): void {
    this.errors++
    this.errorKind = kind
    this.send()
  }

  private wants(): void {
    this.askedAt ??= performance.now()
  }

  private plays(): void {
    const now = performance.now()
    if (!this.started) {
      this.started = true
      this.startupMs = now - (this.askedAt ?? now)
      this.ticked = { at: now, second: video.currentTime }
      this.send()
      return
    }
    // Someone else may have the place meanwhile: the answer says so.
    if (this.left) this.send(false)
    this.waited()
    this.stalledAt = undefined
    this.ticked ??= { at: now, second: video.currentTime }
  }

  private tick(): void {
    if (!video.paused && !video.seeking) this.count()
  }

  /**
   * Adds the movement of the position since the last call as watched time, at most the time that passed: a page that was suspended or
   * waited showed nothing. The browser's `played` ranges hold the positions reached, however late this runs.
   */
  private count(): void {
    if (!this.ticked) return
    const now = performance.now()
    const moved = ((video.currentTime - this.ticked.second) / video.playbackRate) * 1_000
    const watched = Math.max(0, Math.min(moved, now - this.ticked.at))
    this.watchMs += watched
    if (watched > 0) this.addSpan(this.ticked.second, video.currentTime)
    const { videoHeight } = video
    if (videoHeight > 0) this.watched.set(videoHeight, (this.watched.get(videoHeight) ?? 0) + watched)
    this.ticked = { at: now, second: video.currentTime }
    for (const stretch of playedParts(video.played, video.duration)) {
      if (!this.reached.has(stretch)) this.unsaid.add(stretch)
      this.reached.add(stretch)
    }
  }

  private addSpan(from: number, to: number): void {
    const last = this.spans.at(-1)
    if (last && last[1] === from) last[1] = to
    else if (this.spans.length < MAX_SPANS) this.spans.push([from, to])
  }

  /** Counts a wait for data once the video plays; a wait after a seek does not count, since the viewer caused it. */
  private stalls(): void {
    if (!this.started || video.seeking || video.paused || this.stalledAt !== undefined) return
    this.tick()
    this.stalledAt = performance.now()
    this.rebuffers++
  }

  private rests(): void {
    this.waited()
    this.stalledAt = undefined
    this.ticked = undefined
  }

  /** Adds the wait for data so far, if there is one: the service counts no wait without its time. */
  private waited(): void {
    if (this.stalledAt === undefined) return
    const now = performance.now()
    this.rebufferMs += now - this.stalledAt
    this.stalledAt = now
  }

  private leaves(): void {
    if (this.started) this.send(true)
  }

  private send(left = this.left): void {
    this.waited()
    const { permit, session, startupMs, watchMs, rebufferMs, rebuffers, errors } = this
    const isNews = startupMs !== undefined || watchMs >= 1 || rebuffers > 0 || errors > 0 || this.spans.length > 0 || left !== this.left
    if (!permit || !isNews) return
    const whole = (ms: number) => Math.min(LONGEST_MS, Math.round(ms))
    const report: ViewingReport = {
      permit,
      session,
      // Repeated in later reports, which would otherwise take the place again.
      ...((left || this.left) && { left }),
      ...(startupMs === undefined ? {} : { startupMs: whole(startupMs) }),
      watchMs: whole(watchMs),
      rebufferMs: whole(rebufferMs),
      rebuffers,
      errors,
      ...(this.errorKind && errors > 0 ? { errorKind: this.errorKind } : {}),
      ...(video.videoHeight > 0 ? { height: video.videoHeight } : {}),
      watched: [...this.watched].slice(0, 12).map(([height, ms]): [number, number] => [height, whole(ms)]),
      page: this.page,
      positionSec: video.currentTime,
      spans: this.spans,
      reached: [...this.unsaid],
    }
    void this.post(JSON.stringify(report), this.spans)
    this.spans = []
    this.left = left
    this.startupMs = undefined
    this.watchMs = this.rebufferMs = this.rebuffers = this.errors = 0
    this.unsaid = new Set()
    this.watched = new Map()
  }

  /** Sent as text, a simple request, also while the page unloads. Of a report that does not arrive, what was played is sent with the next one. */
  private async post(report: string, spans: [number, number][]): Promise<void> {
    const request = { method: 'POST', body: report, keepalive: true, credentials: 'omit', referrerPolicy: 'no-referrer' } as const
    const answer = await fetch(this.address, request).catch(() => undefined)
    if (!answer || answer.status >= 500 || answer.status === 429) {
      const all = [...spans, ...this.spans]
      this.spans = []
      for (const [from, to] of all) this.addSpan(from, to)
    }
    if (answer?.status !== 401 && answer?.status !== 403) return
    const reason = await reasonOf(answer)
    if (answer.status === 403) this.onEnded(noticeFor('PLAYBACK_NOT_ALLOWED', reason))
    else if (reason === 'PLAYBACK_ENDED') this.onEnded('stopped')
  }
}
