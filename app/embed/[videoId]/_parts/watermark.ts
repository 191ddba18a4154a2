import { player, stage, video } from './stage.ts'
import { type Area, between, type Caption, freeArea } from './watermark-place.ts'

/** How long the label may be missing: page zoom, a resized window or another program's style settle within it. */
const PATIENCE_MS = 800
const OPACITY = 0.55
const LEAST_OPACITY = 0.3
/** Smaller text cannot be read. Font sizes in CSS pixels. */
const LEAST_FONT = 9
const LINE = 1.25

/** Seconds that the label rests in one place, and that its way to the next one takes. */
const REST_SEC = [3, 8] as const
const WAY_SEC = [2, 5] as const

/** Other styles of the page must not change them, and a viewer cannot tell which of them matters. */
const important = (styles: Record<string, string>) =>
  Object.entries(styles)
    .map(([name, value]) => `${name}:${value}!important`)
    .join(';')

const HOST = important({
  all: 'initial',
  position: 'absolute',
  inset: '0',
  overflow: 'hidden',
  'pointer-events': 'none',
  visibility: 'visible',
})
const MARK = important({
  all: 'initial',
  position: 'absolute',
  top: '0',
  left: '0',
  visibility: 'visible',
  'pointer-events': 'none',
  overflow: 'hidden',
  'overflow-wrap': 'anywhere',
  'text-align': 'center',
  'user-select': 'none',
  'font-family': '"Inter Variable",Inter,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif',
  'font-weight': '600',
  'line-height': String(LINE),
  color: '#fff',
  // Readable on white.
  'text-shadow': '0 0 1px #000,0 0 2px #000,0 0 3px #000,0 1px 2px #000',
  opacity: String(OPACITY),
  // Colors that a viewer forces on pages would hide the outline.
  'forced-color-adjust': 'none',
})

interface Wanted {
  label: string
  /** Called once, if the label cannot be seen while the video plays. */
  onHidden(): void
  /** Lets the element around the player fill its page, or no longer; undefined without such an element. */
  fill: ((yes: boolean) => void) | undefined
}

/** Draws a label over the video from the first play on, and moves it. Turns off what shows the video without it. */
export function drawWatermark({ label, onHidden, fill }: Wanted): void {
  keepInPlayer(fill)
  new Watermark(label, onHidden).start()
}

class Watermark {
  private readonly label: string
  private readonly onHidden: () => void
  private readonly host = document.createElement('div')
  private readonly root = this.host.attachShadow({ mode: 'closed' })
  private readonly mark = document.createElement('div')
  /** The parts of the player that may be above the label. */
  private readonly parts = new Set<Element>([stage, ...stage.querySelectorAll('*')])
  private moveAt = 0
  private missingSince: number | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private isShown = false
  private isOver = false

  constructor(label: string, onHidden: () => void) {
    this.label = label
    this.onHidden = onHidden
    this.host.style.cssText = HOST
    this.mark.style.cssText = MARK
    this.mark.dir = 'auto'
    this.mark.textContent = label
    // Above the video and below everything else of Media Chrome, which takes the first element of the slot as its video.
    this.host.slot = 'media'
    this.host.setAttribute('aria-hidden', 'true')
    this.host.translate = false
    this.root.append(this.mark)
  }

  start(): void {
    // A page's timers are slow in the background, and this event is as frequent as the video moves.
    for (const event of ['playing', 'timeupdate', 'seeked']) video.addEventListener(event, () => this.tick())
    new ResizeObserver(() => this.isShown && this.move(true)).observe(player)
    const changes = new MutationObserver(() => this.check())
    changes.observe(document, { childList: true, subtree: true })
    changes.observe(this.host, { attributes: true })
    changes.observe(this.root, { childList: true, characterData: true, subtree: true })
  }

  private tick(): void {
    if (this.isOver || video.paused) return
    if (!this.isShown) {
      this.isShown = true
      player.append(this.host)
      this.move(true)
    }
    if (!this.fits()) this.move(true)
    else if (performance.now() >= this.moveAt) this.move(captionsNow().length > 0)
    this.check()
  }

  /** Sends the label to a place that nobody can foresee; at once where a way there could cross captions. */
  private move(atOnce: boolean): void {
    const { mark } = this
    const area = areaNow()
    const [wide, high] = [area.right - area.left, area.bottom - area.top]
    const set = (name: string, value: string) => mark.style.setProperty(name, value, 'important')
    const setSize = (px: number) => {
      set('font-size', `${px}px`)
      return px
    }
    set('max-width', `${0.8 * wide}px`)
    set('max-height', 'none')
    let size = setSize(Math.max(12, 0.032 * Math.min(player.clientWidth, player.clientHeight)))
    while (mark.offsetHeight > high && size > LEAST_FONT) size = setSize(Math.max(LEAST_FONT, size * 0.85))
    // In a small frame the end of a long label is cut off.
    set('max-height', `${Math.max(1, Math.floor(high / (size * LINE))) * size * LINE}px`)
    const [x, y] = [between(area.left, area.right - mark.offsetWidth), between(area.top, area.bottom - mark.offsetHeight)]
    const way = atOnce || matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : between(...WAY_SEC)
    set('transition', way > 0 ? `transform ${way}s linear` : 'none')
    set('transform', `translate(${x}px,${y}px)`)
    this.moveAt = performance.now() + 1_000 * (way + between(...REST_SEC))
  }

  /** Whether the label is where it may be now. In a frame without such a place, one is as good as another. */
  private fits(): boolean {
    const { left, top, right, bottom } = areaNow()
    const frame = player.getBoundingClientRect()
    const mark = this.mark.getBoundingClientRect()
    const [x, y] = [mark.left - frame.left, mark.top - frame.top]
    const isIn = x >= left - 1 && x + mark.width <= right + 1 && y >= top - 1 && y + mark.height <= bottom + 1
    return isIn || mark.height > bottom - top
  }

  /** Ends playback if the label was missing for `PATIENCE_MS`. */
  private check(): void {
    if (this.isOver || !this.isShown) return
    clearTimeout(this.timer)
    if (this.isNotWatched() || this.isSeen()) {
      this.missingSince = undefined
      return
    }
    this.missingSince ??= performance.now()
    const left = this.missingSince + PATIENCE_MS - performance.now()
    if (left > 0) {
      this.timer = setTimeout(() => this.check(), left)
      return
    }
    this.isOver = true
    this.onHidden()
  }

  /** Whether nobody sees the video, or a browser arranges it otherwise: a hidden tab, a pause, a frame without size, print. */
  private isNotWatched(): boolean {
    const { width, height } = video.getBoundingClientRect()
    return document.hidden || video.paused || width < 40 || height < 40 || matchMedia('print').matches
  }

  private isSeen(): boolean {
    const { host, root, mark } = this
    const isInPlace = host.parentNode === player && mark.parentNode === root && video.parentNode === player && player.isConnected
    if (!isInPlace || mark.textContent !== this.label || isElsewhere(host)) return false
    return hasInk(mark) && hasInk(host) && opacityOf(mark, host) >= LEAST_OPACITY && this.isOnTop()
  }

  /** Whether the label is over the video, by what the browser finds at its center, and nothing foreign hides all of it. */
  private isOnTop(): boolean {
    const { host, mark, parts } = this
    const place = mark.getBoundingClientRect()
    const { left, top, width, height } = place
    if (height < LEAST_FONT * 0.8 || width < LEAST_FONT * 0.2) return false
    const set = (value: string) => mark.style.setProperty('pointer-events', value, 'important')
    set('auto')
    const found = document.elementsFromPoint(left + width / 2, top + height / 2)
    set('none')
    const at = found.indexOf(host)
    if (at < 0 || found.indexOf(video) < at) return false
    // The chapters of the menu and the transcript come later.
    const foreign = [...document.body.querySelectorAll('*')].filter(
      (one) => !parts.has(one) && one !== host && !one.closest('#settings, #transcript'),
    )
    return !foreign.some((one) => contains(one.getBoundingClientRect(), place) && covers(one))
  }
}

const contains = (outer: DOMRect, inner: DOMRect) =>
  outer.left <= inner.left && outer.top <= inner.top && outer.right >= inner.right && outer.bottom >= inner.bottom

/** Returns where the label may be now. */
function areaNow(): Area {
  const controls = Number.parseFloat(getComputedStyle(player).getPropertyValue('--controls')) || 0
  const { clientWidth: width, clientHeight: height } = player
  const { videoWidth, videoHeight } = video
  return freeArea({ width, height, videoWidth, videoHeight, controls, captions: captionsNow() })
}

/** Returns the captions that are shown now in another place than the bottom. */
function captionsNow(): Caption[] {
  const cues = [...video.textTracks].filter(({ mode }) => mode === 'showing').flatMap(({ activeCues }) => [...(activeCues ?? [])])
  return (cues as VTTCue[])
    .filter(({ line }) => line !== 'auto')
    .map(({ line, snapToLines, text }) => ({ line, snapToLines, lines: text.split('\n').length }))
}

/** Whether a style leaves something of the element's text to see. Programs that make pages dark may change its color. */
function hasInk(element: Element): boolean {
  const style = getComputedStyle(element)
  const isWhole = ['clip-path', 'mask-image', '-webkit-mask-image', 'filter'].every((name) =>
    ['', 'none'].includes(style.getPropertyValue(name)),
  )
  const fill = style.getPropertyValue('-webkit-text-fill-color') || style.color
  return isWhole && style.visibility === 'visible' && alphaOf(style.color) > 0.5 && alphaOf(fill) > 0.5
}

/** Returns the opacity with which an element in the shadow root of `host` is drawn. */
function opacityOf(element: Element, host: Element): number {
  let opacity = Number(getComputedStyle(element).opacity)
  for (let at: Element | null = host; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity)
  return opacity
}

/** Returns the opacity in a computed color: `rgb(1, 2, 3)`, `rgba(1, 2, 3, 0.5)`, `color(srgb 0 0 0 / 0.5)`. */
const alphaOf = (color: string) => Number(/(?:\/ ?|^rgba\(.+, ?)([\d.]+)\)$/.exec(color)?.[1] ?? 1)

/** Whether an element hides what is behind it. */
function covers(element: Element): boolean {
  const { backgroundColor, backgroundImage, backdropFilter, opacity } = getComputedStyle(element)
  if (Number(opacity) < 0.5) return false
  const isPicture = ['img', 'canvas', 'video', 'iframe', 'embed', 'object', 'svg'].includes(element.localName)
  return isPicture || alphaOf(backgroundColor) > 0.5 || backgroundImage !== 'none' || !['', 'none', undefined].includes(backdropFilter)
}

/** The element of iPhones, and its full screen and windows that show the video alone. */
type AppleVideo = HTMLVideoElement & {
  webkitPresentationMode?: string
  webkitExitFullscreen?(): void
  webkitSetPresentationMode?(mode: 'inline'): void
}

/** Whether the video is shown without the label: in a full screen of its own, or in a window of its own. */
function isElsewhere(host: Element): boolean {
  const { fullscreenElement: full, pictureInPictureElement } = document
  const mode = (video as AppleVideo).webkitPresentationMode ?? 'inline'
  return (full !== null && full !== undefined && !full.contains(host)) || pictureInPictureElement === video || mode !== 'inline'
}

/**
 * Turns off what shows the video without the label: picture-in-picture, AirPlay, casting, and a full screen of the video alone, which
 * browsers offer in their own menus.
 */
function keepInPlayer(fill: Wanted['fill']): void {
  const apple = video as AppleVideo
  // Attributes, since not every browser has their properties.
  for (const name of ['disablepictureinpicture', 'disableremoteplayback']) video.setAttribute(name, '')
  video.setAttribute('x-webkit-airplay', 'deny')
  for (const name of ['media-pip-button', 'media-airplay-button']) document.querySelector(name)?.remove()
  if (!document.fullscreenEnabled && !(document as { webkitFullscreenEnabled?: boolean }).webkitFullscreenEnabled) fillPage(fill)
  video.addEventListener('enterpictureinpicture', () => void document.exitPictureInPicture().catch(() => {}))
  video.addEventListener('webkitbeginfullscreen', () => apple.webkitExitFullscreen?.())
  video.addEventListener('webkitpresentationmodechanged', () => {
    if (apple.webkitPresentationMode !== 'inline') apple.webkitSetPresentationMode?.('inline')
  })
  document.addEventListener('fullscreenchange', () => document.fullscreenElement === video && void leaveFullScreen())
}

/** Pauses meanwhile: a browser can take longer to leave than the label may be missing. */
async function leaveFullScreen(): Promise<void> {
  const wasPlaying = !video.paused
  video.pause()
  await document.exitFullscreen().catch(() => {})
  if (wasPlaying) await video.play().catch(() => {})
}

/** Where a browser shows the bare video alone in full screen (iPhones): the element around the player fills its page instead. */
function fillPage(fill: Wanted['fill']): void {
  const button = document.querySelector('media-fullscreen-button')
  if (!fill) {
    button?.remove()
    return
  }
  for (const [request, yes] of [['mediaenterfullscreenrequest', true] as const, ['mediaexitfullscreenrequest', false] as const]) {
    const answer = (event: Event) => {
      event.stopImmediatePropagation()
      button?.toggleAttribute('mediaisfullscreen', yes)
      fill(yes)
    }
    stage.addEventListener(request, answer, { capture: true })
  }
}
