import { copyText } from '../../../_ui/clipboard.ts'
import { player, video } from './stage.ts'
import type { Texts } from './texts/texts.ts'
import { fill, texts } from './texts.ts'
import { findIn, joinLines, type Line, lineAt, type Match } from './transcript-lines.ts'
import { make, placeOf, TranscriptList } from './transcript-list.ts'

const ICONS = {
  transcript: 'M3 5h18v2H3zm0 6h18v2H3zm0 6h11v2H3z',
  copy: 'M8 3h12v14H8zm2 2v10h8V5zM4 7h2v12h10v2H4z',
  close: 'm6.4 5 5.6 5.6L17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6l5.6-5.6L5 6.4z',
  previous: 'm12 8 6.4 6.4L17 15.8l-5-5-5 5-1.4-1.4z',
  next: 'm12 16 6.4-6.4L17 8.2l-5 5-5-5-1.4 1.4z',
}
/** Keys of the player's shortcuts that mean something else in a list of buttons. */
const OWN_KEYS = ['ArrowUp', 'ArrowDown', 'Home', 'End', 'Enter', ' ', 'Tab', 'Escape']

/** Frames without room for both the video and the transcript, as in player.css. */
const REPLACES_VIDEO = '(width < 640px) and (min-aspect-ratio: 1/1)'

const drawing = (name: 'svg' | 'path', attributes: Record<string, string>) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  return element
}

function icon(name: keyof typeof ICONS): Element {
  const svg = drawing('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' })
  svg.append(drawing('path', { d: ICONS[name] }))
  return svg
}

function iconButton(name: Exclude<keyof typeof ICONS, 'transcript'>, own: Texts['transcript']): HTMLButtonElement {
  const button = make('button', { type: 'button', className: 'icon', title: own[name], ariaLabel: own[name] })
  button.append(icon(name))
  return button
}

/** Adds a button to the controls that shows the captions as a list, beside or below the video or in its place. */
export function offerTranscript(tracks: readonly HTMLTrackElement[], isOpen: boolean): void {
  const own = texts()?.transcript
  if (own) new Transcript(tracks, own).offer(isOpen)
}

class Transcript {
  private readonly tracks: readonly HTMLTrackElement[]
  private readonly own: Texts['transcript']
  private readonly panel = make('aside', { id: 'transcript', hidden: true })
  private readonly toggle = document.createElement('media-chrome-button') as HTMLElement & { handleClick(): void }
  private readonly languages = make('select')
  private readonly field = make('input', { type: 'search', enterKeyHint: 'search' })
  private readonly count = make('span', { className: 'count', role: 'status' })
  private readonly steps: HTMLButtonElement[]
  private readonly items = new TranscriptList()
  private readonly list = this.items.element
  private readonly back = make('button', { type: 'button', className: 'back', hidden: true })
  private readonly news = make('p', { className: 'news', role: 'status' })

  private track: HTMLTrackElement | undefined
  private lines: Line[] = []
  private current = -1
  private isFollowing = true
  private matches: Match[] = []
  private match = 0

  constructor(tracks: readonly HTMLTrackElement[], own: Texts['transcript']) {
    this.tracks = tracks
    this.own = own
    this.steps = [iconButton('previous', own), iconButton('next', own)]
  }

  offer(isOpen: boolean): void {
    this.build()
    this.listen()
    // Full screen shows the transcript too.
    Object.assign(player, { fullscreenElement: document.documentElement })
    document.body.append(this.panel)
    document.getElementById('settings-button')?.before(this.toggle)
    // Without room for both, the video has priority until the viewer asks.
    if (isOpen && !matchMedia(REPLACES_VIDEO).matches) this.show(true)
  }

  private build(): void {
    const { own, panel, toggle, languages, field, count, steps, list, back, news } = this
    toggle.id = 'transcript-button'
    toggle.toggleAttribute('notooltip', true)
    for (const [name, value] of Object.entries({ label: own.title, controls: panel.id, expanded: 'false' }))
      toggle.setAttribute(`aria-${name}`, value)
    toggle.append(icon('transcript'))

    const title = make('h1', { id: 'transcript-title', textContent: own.title })
    panel.setAttribute('aria-labelledby', title.id)
    // The only control of the player in reach where the transcript is in its place.
    const play = document.createElement('media-play-button')
    play.setAttribute('mediacontroller', player.id)
    play.toggleAttribute('notooltip', true)
    languages.ariaLabel = own.language
    languages.hidden = this.tracks.length < 2
    languages.append(...this.tracks.map(({ label }, at) => make('option', { value: String(at), textContent: label })))
    const copy = iconButton('copy', own)
    copy.addEventListener('click', () => void this.copy())
    const close = iconButton('close', own)
    close.classList.add('close')
    close.addEventListener('click', () => this.show(false))
    const head = make('div', { className: 'head' })
    head.append(play, title, languages, copy, close)

    field.ariaLabel = field.placeholder = own.search
    const find = make('div', { className: 'find', role: 'search' })
    find.append(field, count, ...steps)
    for (const step of steps) step.hidden = true

    list.setAttribute('aria-labelledby', title.id)
    back.textContent = own.back
    panel.append(head, find, list, back, news)
  }

  private listen(): void {
    const { tracks, panel, toggle, languages, field, steps, list, back } = this
    toggle.handleClick = () => this.show(panel.hidden === true)
    for (const track of tracks) {
      track.addEventListener('load', () => this.read(track))
      track.addEventListener('error', () => {
        if (this.track === track) this.tell(this.own.failed)
      })
    }
    // The viewer chose other captions.
    video.textTracks.addEventListener('change', () => {
      const shown = tracks.find((one) => one.track.mode === 'showing')
      if (shown && !panel.hidden && shown !== this.track) this.choose(shown)
    })
    languages.addEventListener('change', () => {
      const chosen = tracks[Number(languages.value)]
      const shown = tracks.find((one) => one.track.mode === 'showing')
      if (chosen && shown) [shown.track.mode, chosen.track.mode] = ['disabled', 'showing']
      if (chosen) this.choose(chosen)
    })
    for (const event of ['timeupdate', 'seeking']) video.addEventListener(event, () => panel.hidden || this.update())
    video.addEventListener('resize', () => this.measure())

    panel.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return
      if (event.target === field && field.value !== '') this.search('')
      else this.show(false)
      event.preventDefault()
    })
    field.addEventListener('input', () => this.search(field.value))
    field.addEventListener('keydown', (event) => {
      // The Enter that ends the input of Japanese chooses characters.
      if (event.key === 'Enter' && !event.isComposing) this.step(event.shiftKey ? -1 : 1)
    })
    steps.forEach((button, at) => {
      button.addEventListener('click', () => this.step(at === 0 ? -1 : 1))
    })

    list.addEventListener('click', ({ target }) => {
      const at = placeOf((target as Element).closest('button'))
      const line = this.lines[at]
      if (!line) return
      video.currentTime = line.startSec
      this.makeTabStop(at)
      this.isFollowing = true
      this.update(true)
    })
    list.addEventListener('keydown', (event) => this.onListKey(event))
    const rest = () => list.scrollHeight > list.clientHeight && this.follow(false)
    for (const event of ['wheel', 'touchmove']) list.addEventListener(event, rest, { passive: true })
    // Of the list itself: its scrollbar.
    list.addEventListener('pointerdown', ({ target }) => target === list && rest())
    back.addEventListener('click', () => {
      this.follow(true)
      this.items.button(Math.max(0, this.current))?.focus({ preventScroll: true })
    })
  }

  private show(yes: boolean): void {
    const { panel, toggle } = this
    const hadFocus = panel.contains(document.activeElement)
    panel.hidden = !yes
    toggle.setAttribute('aria-expanded', String(yes))
    if (!yes) {
      if (hadFocus) toggle.focus()
      return
    }
    this.measure()
    if (this.matches.length === 0) this.isFollowing = true
    this.choose(this.tracks.find((one) => one.track.mode === 'showing') ?? this.track ?? this.preferred())
    if (matchMedia(REPLACES_VIDEO).matches) panel.querySelector<HTMLElement>('.close')?.focus()
  }

  /** The video above a transcript is as high as its picture. */
  private measure(): void {
    if (video.videoWidth > 0) document.body.style.setProperty('--ratio', String(video.videoWidth / video.videoHeight))
  }

  private preferred(): HTMLTrackElement | undefined {
    const base = (tag: string) => tag.split('-')[0]?.toLowerCase()
    const wanted = navigator.languages.map(base)
    const found = wanted.map((language) => this.tracks.find(({ srclang }) => base(srclang) === language)).find(Boolean)
    return found ?? this.tracks[0]
  }

  /** Shows the captions of a track. The browser loads them under the session's address, as if they were switched on. */
  private choose(track: HTMLTrackElement | undefined): void {
    if (!track) return
    if (track === this.track && this.lines.length > 0) {
      this.update(true)
      return
    }
    this.track = track
    this.languages.value = String(this.tracks.indexOf(track))
    this.render([])
    if (track.track.mode === 'disabled') track.track.mode = 'hidden'
    if (track.readyState === HTMLTrackElement.LOADED) this.read(track)
  }

  /** Takes the captions of a track that has loaded. */
  private read(track: HTMLTrackElement): void {
    const cues = [...(track.track.cues ?? [])] as VTTCue[]
    // Cues of a hidden track that begin would move the shown ones (keep-captions.ts).
    if (track.track.mode === 'hidden') track.track.mode = 'disabled'
    if (this.track !== track) return
    this.list.lang = track.srclang
    this.render(cues.map((cue) => ({ startSec: cue.startTime, text: textOf(cue) })).filter(({ text }) => text !== ''))
    this.tell('')
  }

  private render(lines: Line[]): void {
    this.lines = lines
    this.current = -1
    this.items.show(lines)
    this.makeTabStop(0)
    this.search(this.field.value)
    if (this.matches.length === 0) this.follow(true)
    this.update(true)
  }

  /** Marks the line that is spoken now. */
  private update(afresh = false): void {
    const at = lineAt(this.lines, video.currentTime)
    if (at === this.current && !afresh) return
    this.list.querySelector('[aria-current]')?.removeAttribute('aria-current')
    this.items.button(at)?.setAttribute('aria-current', 'true')
    this.current = at
    this.back.hidden = this.isFollowing || at < 0
    if (!this.isFollowing) return
    if (!this.list.contains(document.activeElement)) this.makeTabStop(Math.max(0, at))
    this.reveal(Math.max(0, at), !afresh)
  }

  private follow(yes: boolean): void {
    this.isFollowing = yes
    this.back.hidden = yes || this.current < 0
    if (yes) this.reveal(Math.max(0, this.current), true)
  }

  /** Scrolls a line into the middle of the list. */
  private reveal(at: number, smooth: boolean): void {
    const { list } = this
    const button = this.items.button(at)
    if (!button) return
    const top = button.offsetTop - (list.clientHeight - button.offsetHeight) / 2
    const isNear = Math.abs(top - list.scrollTop) < 2 * list.clientHeight
    const moves = smooth && isNear && !matchMedia('(prefers-reduced-motion: reduce)').matches
    list.scrollTo({ top, behavior: moves ? 'smooth' : 'instant' })
  }

  /** Lets the Tab key reach this line alone; the arrow keys reach the others. */
  private makeTabStop(at: number): void {
    const before = this.list.querySelector<HTMLButtonElement>('[tabindex="0"]')
    if (before) before.tabIndex = -1
    const button = this.items.button(at)
    if (button) button.tabIndex = 0
  }

  private onListKey(event: KeyboardEvent): void {
    const at = placeOf(document.activeElement)
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: this.lines.length - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      const button = this.items.button(to)
      if (!button) return
      this.follow(false)
      this.makeTabStop(to)
      button.focus({ preventScroll: true })
      button.scrollIntoView({ block: 'nearest' })
    } else if (event.key.startsWith('Page')) this.follow(false)
    else if (!OWN_KEYS.includes(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) {
      ;(player as HTMLElement & { keyboardShortcutHandler?(event: KeyboardEvent): void }).keyboardShortcutHandler?.(event)
    }
  }

  /** Marks each place of a text, and shows the first one. */
  private search(asked: string): void {
    if (this.field.value !== asked) this.field.value = asked
    this.matches = findIn(this.lines, asked)
    this.items.mark(this.matches)
    this.match = 0
    for (const step of this.steps) step.hidden = this.matches.length < 2
    this.count.textContent = asked.trim() && this.lines.length > 0 ? this.own.none : ''
    if (this.matches.length > 0) this.step(0)
  }

  /** Shows a match after or before the current one, by `by`; the last is followed by the first. */
  private step(by: number): void {
    const { matches, list } = this
    if (matches.length === 0) return
    this.match = (this.match + by + matches.length) % matches.length
    const match = matches[this.match] as Match
    const { line } = match
    this.follow(false)
    this.makeTabStop(line)
    this.reveal(line, false)
    list.querySelector('mark[data-current]')?.removeAttribute('data-current')
    this.items.markOf(match)?.setAttribute('data-current', '')
    this.count.textContent = fill(this.own.found, { number: this.match + 1, count: matches.length })
  }

  private async copy(): Promise<void> {
    const isCopied = await copyText(this.lines.map(({ text }) => text).join('\n'))
    this.tell(isCopied ? this.own.copied : this.own.notCopied)
    if (isCopied) setTimeout(() => this.news.textContent === this.own.copied && this.tell(''), 3_000)
  }

  private tell(text: string): void {
    this.news.textContent = text
  }
}

/** Returns what a caption says, as one line; voices are named. */
function textOf(cue: VTTCue): string {
  if (!/[<&]/.test(cue.text)) return joinLines(cue.text)
  const content = cue.getCueAsHTML()
  for (const voice of content.querySelectorAll<HTMLElement>('span[title]')) voice.prepend(`${voice.title}: `)
  return joinLines(content.textContent ?? '')
}
