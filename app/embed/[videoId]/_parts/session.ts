import type { PlaybackSession as Served } from '#server/modules/delivery/sessions/session'
import type { Chapter } from './chapters.ts'

/** The service's data about a session. Services without chapters do not send them. */
type PlaybackSession = Served & { chapters?: readonly Chapter[] }

const TIMEOUT_MS = 15_000
/** The delay after a network failure; a refusal is final. */
const AGAIN_MS = 30_000
const LEAST_MS = 1_000
/** setTimeout is limited to 2^31 − 1 ms, 24.8 days. */
const MOST_MS = 7 * 86_400_000

/**
 * The playback session of this page and the current address of its playlists. Renews it half-way through its lifetime while the page is
 * open, and after a refusal because the machine was suspended.
 */
export class Session {
  /** The master playlist's address under the newest permit. */
  address: string
  /** Whether the owner ended the session; then no new one is requested. */
  ended = false
  private readonly onRenewed: (address: string) => void
  private asking: Promise<PlaybackSession | undefined> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private dueAt = Number.POSITIVE_INFINITY

  constructor(address: string, onRenewed: (address: string) => void) {
    this.address = address
    this.onRenewed = onRenewed
    // Timers stop while a machine is suspended and are late in a hidden page.
    for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, () => this.freshen())
    for (const event of ['online', 'pageshow', 'focus']) addEventListener(event, () => this.freshen())
  }

  /** Switches to another session. */
  follow(address: string): void {
    this.address = address
    this.onRenewed(address)
    this.renewIn(0)
  }

  /** Returns the current address of a file of the session, whichever permit it was named under; any other address unchanged. */
  current(url: string): string {
    const root = new URL('..', this.address).href
    if (!url.startsWith(root)) return url
    const [, ...file] = url.slice(root.length).split('/')
    return new URL(file.join('/'), this.address).href
  }

  /** Returns whether `url` is a file of the session. */
  holds(url: string): boolean {
    return url.startsWith(new URL('..', this.address).href)
  }

  /**
   * Returns the title, poster, captions and previews, under an address valid for another lifetime; undefined when refused or when the
   * network failed.
   */
  ask(): Promise<PlaybackSession | undefined> {
    this.asking ??= this.fetch().finally(() => {
      this.asking = undefined
    })
    return this.asking
  }

  /** Returns a refused file's address under another permit, if one is available. */
  async afterRefusal(url: string): Promise<string> {
    if (this.current(url) === url) await this.ask()
    return this.current(url)
  }

  private freshen(): void {
    if (Date.now() >= this.dueAt) void this.ask()
  }

  private renewIn(wanted: number): void {
    const ms = Math.min(Math.max(LEAST_MS, wanted), MOST_MS)
    clearTimeout(this.timer)
    this.dueAt = Date.now() + ms
    this.timer = setTimeout(() => this.freshen(), ms)
  }

  private async fetch(): Promise<PlaybackSession | undefined> {
    clearTimeout(this.timer)
    this.dueAt = Number.POSITIVE_INFINITY
    try {
      const request = { credentials: 'omit', referrerPolicy: 'no-referrer', signal: AbortSignal.timeout(TIMEOUT_MS) } as const
      const answer = await fetch(new URL('session.json', this.address), request)
      if (answer.status >= 500) throw new Error(`The session request failed with status ${answer.status}`)
      if (!answer.ok) {
        this.ended ||= (await reasonOf(answer)) === 'PLAYBACK_ENDED'
        return undefined
      }
      const session = (await answer.json()) as PlaybackSession
      this.address = session.renewed.masterPlaylistUrl
      this.renewIn(session.renewed.lifetimeSec * 500)
      this.onRenewed(this.address)
      return session
    } catch {
      this.renewIn(AGAIN_MS)
      return undefined
    }
  }
}

/** Returns `details.reason` of a refusal, such as PLAYBACK_ENDED (`refuseEnded` in server/modules/delivery/sessions/media-permit.ts). */
export async function reasonOf(refusal: Response): Promise<string | undefined> {
  const body = (await refusal.json().catch(() => undefined)) as { error?: { details?: { reason?: string } } } | undefined
  return body?.error?.details?.reason
}
