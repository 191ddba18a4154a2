import type { PlaybackSession } from '#server/modules/playback/session'

const TIMEOUT_MS = 15_000
/** After a network that failed; a refusal is final. */
const AGAIN_MS = 30_000
const LEAST_MS = 1_000
/** Timers cannot be set much further. */
const MOST_MS = 7 * 86_400_000

/**
 * The playback session of this page: where its playlists are now. It is renewed half-way through its lifetime for as long as the
 * page is open, and when something is refused because the machine slept through that.
 */
export class Session {
  /** The master playlist's address under the newest grant. */
  address: string
  /** Whether it was ended before its time; then no other one is asked for. */
  ended = false
  private readonly onRenewed: (address: string) => void
  private asking: Promise<PlaybackSession | undefined> | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private dueAt = Number.POSITIVE_INFINITY

  constructor(address: string, onRenewed: (address: string) => void) {
    this.address = address
    this.onRenewed = onRenewed
    // Timers stand still in a machine that sleeps, and are late in a page that nobody looks at.
    for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, () => this.freshen())
    for (const event of ['online', 'pageshow', 'focus']) addEventListener(event, () => this.freshen())
  }

  /** Another session takes over. */
  follow(address: string): void {
    this.address = address
    this.onRenewed(address)
    this.renewIn(0)
  }

  /** The address of a file of the session, whichever grant it was named under; any other as it is. */
  current(url: string): string {
    const root = new URL('..', this.address).href
    if (!url.startsWith(root)) return url
    const [, ...file] = url.slice(root.length).split('/')
    return new URL(file.join('/'), this.address).href
  }

  /** Whether `url` is a file of the session. */
  holds(url: string): boolean {
    return url.startsWith(new URL('..', this.address).href)
  }

  /** What stands around the picture, under an address good for another lifetime; undefined when that was refused or did not arrive. */
  ask(): Promise<PlaybackSession | undefined> {
    this.asking ??= this.fetch().finally(() => {
      this.asking = undefined
    })
    return this.asking
  }

  /** A refused file's address under a grant that it was not refused under, if there is one to be had. */
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
      if (answer.status >= 500) throw new Error(`The session answered ${answer.status}`)
      if (!answer.ok) {
        this.ended ||= await saysEnded(answer)
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

/** Whether a refusal says that the session was ended (`refuseEnded` in server/modules/playback/grant.ts). */
export async function saysEnded(refusal: Response): Promise<boolean> {
  const body = (await refusal.json().catch(() => undefined)) as { error?: { details?: { reason?: string } } } | undefined
  return body?.error?.details?.reason === 'PLAYBACK_ENDED'
}
