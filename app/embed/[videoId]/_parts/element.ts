'use client'

import { CHANNEL, type PlayerCommand, type PlayerState } from '../../../_parts/player/channel.ts'
import { chooseLanguage, LANGUAGES } from '../../../_parts/player/languages.ts'
import type { PlayerMessage } from './messages.ts'

/** Attributes that are passed to the player's page as its parameters. */
const PARAMETERS = {
  start: 't',
  autoplay: 'autoplay',
  muted: 'muted',
  loop: 'loop',
  color: 'color',
  captions: 'captions',
  transcript: 'transcript',
  lang: 'lang',
  'show-title': 'title',
} as const

/** Attributes whose change loads another page of the player. */
const OBSERVED = ['token', 'video-id', ...Object.keys(PARAMETERS)]

/** The player is served from the script's own origin. */
const origin = new URL((document.currentScript as HTMLScriptElement | null)?.src || location.href).origin

const NOTHING: PlayerState = {
  currentTime: 0,
  duration: 0,
  paused: true,
  ended: false,
  muted: false,
  volume: 1,
  playbackRate: 1,
  videoWidth: 0,
  videoHeight: 0,
}

const MOST_WAIT_MS = 60_000

const STYLE =
  ':host{display:block;position:relative;width:100%;aspect-ratio:16/9;background:#000}:host([hidden]){display:none}iframe{position:absolute;inset:0;width:100%;height:100%;border:0}' +
  ':host([popover]){position:fixed;inset:0;width:100vw!important;height:100dvh!important;max-width:none!important;margin:0!important;border:0;padding:0;aspect-ratio:auto!important}'

/**
 * `<reelgate-player token="pt_…">`: the embed player as an element, with the media element's usual properties, methods and events (`ready`,
 * `play`, `pause`, `timeupdate`, `seeked`, `ended`, `volumechange`, `ratechange`, `error`).
 */
class ReelgatePlayer extends HTMLElement {
  static observedAttributes = OBSERVED

  private readonly frame = document.createElement('iframe')
  private state = NOTHING
  /** The aspect ratio of the video before, as the browser writes it. */
  private shape = ''
  private pending = false
  private fills = false
  /** Pages of the player in a row that showed an error and no video. */
  private failures = 0
  private failed = false
  private timer: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.frame.allow = 'autoplay; fullscreen; picture-in-picture; encrypted-media'
    this.frame.allowFullscreen = true
    this.frame.referrerPolicy = 'strict-origin-when-cross-origin'
    const root = this.attachShadow({ mode: 'open' })
    // A strict page policy refuses <style> and allows this.
    const style = new CSSStyleSheet()
    style.replaceSync(STYLE)
    root.adoptedStyleSheets = [style]
    root.append(this.frame)
  }

  connectedCallback(): void {
    addEventListener('message', this.hear)
    this.load()
  }

  disconnectedCallback(): void {
    removeEventListener('message', this.hear)
  }

  attributeChangedCallback(): void {
    this.load()
  }

  /**
   * Attributes set one after the other load one page. After the second failure the next page waits longer each time, so that a site that
   * responds to each error with another token does not request them in a loop. Another video does not wait.
   */
  private load(): void {
    if (!this.isConnected) return
    clearTimeout(this.timer)
    if (this.isOtherVideo()) this.failures = 0
    if (this.failures > 1) this.timer = setTimeout(this.show, Math.min(1_000 * 2 ** (this.failures - 1), MOST_WAIT_MS))
    else if (!this.pending) queueMicrotask(this.show)
    this.pending = true
  }

  private readonly show = (): void => {
    this.pending = false
    if (!this.isConnected) return
    const address = this.address()
    if (!address && this.hasAttribute('token')) this.reportEmptyToken()
    if (!address || this.frame.src === address) return
    this.failed = false
    this.fill(false)
    this.state = NOTHING
    this.frame.title = this.getAttribute('title') ?? LANGUAGES[chooseLanguage([this.getAttribute('lang'), ...navigator.languages])]
    this.frame.src = address
  }

  /** Shows the player above the whole page, or no longer. */
  private fill(yes: boolean): void {
    if (yes === this.fills) return
    this.fills = yes
    this.popover = yes ? 'manual' : null
    if (yes) this.showPopover()
  }

  private isOtherVideo(): boolean {
    const address = this.address()
    return address !== undefined && this.frame.src !== '' && new URL(address).pathname !== new URL(this.frame.src).pathname
  }

  /** A page whose request for a token failed often sets an empty one, and would otherwise see nothing. */
  private reportEmptyToken(): void {
    this.failures++
    const message = 'The attribute token is empty. Set it to a playback token from your backend.'
    this.dispatchEvent(new CustomEvent('error', { detail: { reason: 'invalid', code: 'PLAYBACK_TOKEN_INVALID', message } }))
  }

  private address(): string | undefined {
    const token = this.getAttribute('token')
    if (!token) return undefined
    const address = new URL(`/embed/${encodeURIComponent(this.getAttribute('video-id') ?? videoOf(token))}`, origin)
    address.searchParams.set('token', token)
    if ('popover' in this) address.searchParams.set('fills', '1')
    for (const [attribute, parameter] of Object.entries(PARAMETERS)) {
      const value = this.getAttribute(attribute)
      if (value !== null) address.searchParams.set(parameter, value || '1')
    }
    return address.href
  }

  private readonly hear = ({ source, origin: from, data }: MessageEvent<Partial<PlayerMessage> | null>): void => {
    if (source !== this.frame.contentWindow || from !== origin || data?.channel !== CHANNEL || !data.state) return
    const { channel: _, state, type, ...detail } = data as PlayerMessage
    this.state = state
    if (data.type === 'fill') {
      this.fill(data.value === true)
      return
    }
    if (type === 'ready') this.failures = 0
    if (type === 'error' && !this.failed) this.failures++
    this.failed = type === 'error' || (this.failed && type !== 'ready')
    if (type === 'ready') this.takeShape(state)
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }

  /** Takes the video's aspect ratio, unless the page has set one. A height set by the page overrides it. */
  private takeShape({ videoWidth, videoHeight }: PlayerState): void {
    if (videoWidth === 0 || this.style.aspectRatio !== this.shape) return
    this.style.aspectRatio = `${videoWidth} / ${videoHeight}`
    this.shape = this.style.aspectRatio
  }

  private ask(command: Omit<PlayerCommand, 'channel'>): void {
    this.frame.contentWindow?.postMessage({ channel: CHANNEL, ...command }, origin)
  }

  play(): void {
    this.ask({ command: 'play' })
  }

  pause(): void {
    this.ask({ command: 'pause' })
  }

  get paused(): boolean {
    return this.state.paused
  }

  get ended(): boolean {
    return this.state.ended
  }

  /** Seconds; 0 until `ready`. */
  get duration(): number {
    return this.state.duration
  }

  get currentTime(): number {
    return this.state.currentTime
  }

  set currentTime(value: number) {
    this.ask({ command: 'seek', value } as PlayerCommand)
  }

  get volume(): number {
    return this.state.volume
  }

  set volume(value: number) {
    this.ask({ command: 'volume', value } as PlayerCommand)
  }

  get playbackRate(): number {
    return this.state.playbackRate
  }

  set playbackRate(value: number) {
    this.ask({ command: 'rate', value } as PlayerCommand)
  }

  get muted(): boolean {
    return this.state.muted
  }

  set muted(value: boolean) {
    this.ask({ command: 'mute', value } as PlayerCommand)
  }
}

/** Returns the video that a token names; the service verifies it. */
function videoOf(token: string): string {
  try {
    const claims = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    return String((JSON.parse(atob(claims)) as { videoId: unknown }).videoId)
  } catch {
    return 'unknown'
  }
}

// A page may include the script twice.
if (!customElements.get('reelgate-player')) customElements.define('reelgate-player', ReelgatePlayer)
