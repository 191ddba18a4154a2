'use client'

import { accentOf } from './color.ts'
import { exchange } from './exchange.ts'
import { moveExtras, showExtras } from './extras.ts'
import { NOTICES, type NoticeName, noticeFor } from './notices.ts'
import { readOptions } from './options.ts'
import { listenToParent, tell } from './parent-page.ts'
import type { Playback, Stop } from './playback.ts'
import { Renditions } from './renditions.ts'
import { Reports } from './reports.ts'
import { Session } from './session.ts'
import { player, type Shown, showLoading, showNotice, showVideo, stage, unmute, video } from './stage.ts'

/** The entry of the embed player: token → manifest → video, or a notice that says why not. */
const { token, start, autoplay, muted, loop, title, color, preview } = readOptions(location.search)
const { api = '', video: videoId = '' } = stage.dataset

const renditions = new Renditions()
Object.defineProperty(video, 'videoRenditions', { value: renditions })

// Asked for at once with the exchange; the page preloads both.
const hls = import('./playback.ts')
/** Controls are not seen before the picture, and setting them up would hold it back. Where nothing loads by itself they come anyway. */
const controls = new Promise<unknown>((resolve) => {
  for (const event of ['loadeddata', 'canplay']) video.addEventListener(event, resolve, { once: true })
  setTimeout(resolve, 2_000)
}).then(() => import('./controls.ts'))

const reports = preview ? undefined : new Reports(`/embed/${encodeURIComponent(videoId)}/beacon`, stopped)

let playback: Playback | undefined
let session: Session | undefined
let reopening = false
let reopenedAt = Number.NEGATIVE_INFINITY
/** How to go on when the network is back. */
let interrupted: (() => void) | undefined
let wasPlaying = false
/** What to show once the buffer is used up. */
let onWaiting: (() => void) | undefined

async function open(): Promise<void> {
  if (!token) return notify('invalid', { code: 'No playback token in the address' })
  showLoading()
  // The picture does not wait for its controls.
  const [answer, parts] = await Promise.all([exchange(api, videoId, token), hls]).catch(() => [])
  // The player's own files did not arrive; a browser remembers that, so only a new page tries again.
  if (!answer || !parts) return notify('offline', { onRetry: () => location.reload() })
  const { playNatively, playWithHls, waysToPlay } = parts
  const way = waysToPlay(video)
  if (!way) return notify('unsupported')
  if (!answer.ok) {
    if (answer.code === undefined) interrupted = () => void open()
    return refuse(noticeFor(answer.code), answer.code, answer.requestId)
  }
  interrupted = undefined
  const opened = new Session(answer.manifest.masterPlaylistUrl, follow)
  session = opened
  follow(opened.address)
  controls.then(
    () => void showExtras(opened, { title }).catch(() => {}),
    () => notify('offline', { onRetry: () => location.reload() }),
  )
  const wanted = { video, renditions, session, start, onStop }
  // An iPhone loads no picture before it is asked to play.
  if (way === 'native') video.addEventListener('loadedmetadata', lift)
  playback = way === 'native' ? playNatively(wanted) : playWithHls(wanted)
  if (autoplay) await playByItself()
}

/** Reports and tracks move with the session. */
function follow(address: string): void {
  reports?.follow(address)
  moveExtras(address)
}

function refuse(name: NoticeName, code?: string, requestId?: string): void {
  onceUsedUp(() =>
    notify(name, {
      error: code,
      code: [code, requestId].filter(Boolean).join(' · '),
      onRetry: () => void (playback ? reopen() : open()),
    }),
  )
}

/** The owner ended the session: what is in the buffer is not shown either, and the token opens no other session from here. */
function stopped(): void {
  if (stage.dataset.state === 'stopped') return
  interrupted = onWaiting = undefined
  playback?.stop()
  notify('stopped')
}

/** What is in the buffer can still be watched; what stands in the way may be gone before it ends. */
function onceUsedUp(show: () => void): void {
  onWaiting = undefined
  if (video.readyState > HTMLMediaElement.HAVE_CURRENT_DATA) onWaiting = show
  else show()
}

/** Shows a notice, and lets those know who keep an eye on the player. */
function notify(name: NoticeName, { error, ...shown }: Shown & { error?: string } = {}): void {
  showNotice(name, shown)
  reports?.failed()
  tell({ type: 'error', reason: name, code: error, message: NOTICES[name].title })
}

function onStop(stop: Stop): void {
  if (stop === 'refused') {
    void reopen()
    return
  }
  const show = () => {
    // A second error finds it paused by the first one's notice.
    wasPlaying ||= !video.paused
    notify(stop, { onRetry: resume })
  }
  if (stop === 'offline') {
    interrupted = resume
    onceUsedUp(show)
  } else show()
}

function resume(): void {
  interrupted = onWaiting = undefined
  if (video.readyState > HTMLMediaElement.HAVE_CURRENT_DATA) showVideo()
  else if (stage.dataset.state !== 'playing') showLoading()
  playback?.resume()
  if (wasPlaying) void video.play().catch(() => {})
  wasPlaying = false
}

/**
 * Playlists are refused, and the loader could not help: the session is over, or the video is gone. The session may yet be renewed, or
 * the token opens another if it still lives; else its error says what happened.
 */
async function reopen(): Promise<void> {
  if (reopening || !token || !session) return
  // Refused again under a new address: more of them will not help.
  if (performance.now() - reopenedAt < 10_000) return refuse('trouble')
  reopening = true
  const renewed = await session.ask()
  if (session.ended) {
    reopening = false
    return stopped()
  }
  const answer = renewed ? undefined : await exchange(api, videoId, token)
  reopening = false
  if (answer && !answer.ok) {
    const name = noticeFor(answer.code)
    return refuse(name === 'expired' && video.currentTime > 0 ? 'ended' : name, answer.code, answer.requestId)
  }
  reopenedAt = performance.now()
  onWaiting = undefined
  if (answer) session.follow(answer.manifest.masterPlaylistUrl)
  if (stage.dataset.state !== 'playing') showLoading()
  playback?.reload()
}

function waits(yes: boolean): void {
  stage.toggleAttribute('data-waiting', yes)
  if (yes && video.readyState <= HTMLMediaElement.HAVE_CURRENT_DATA) onWaiting?.()
}

/** Browsers that refuse sound without a click still allow a silent start. */
async function playByItself(): Promise<void> {
  const denied = await video.play().then(
    () => false,
    (error: DOMException) => error.name === 'NotAllowedError',
  )
  if (!denied || video.muted) return
  video.muted = true
  unmute.hidden = !(await video.play().then(
    () => true,
    () => false,
  ))
}

if (color) {
  const { accent, onAccent } = accentOf(color)
  document.documentElement.style.setProperty('--accent', accent)
  document.documentElement.style.setProperty('--on-accent', onAccent)
}
listenToParent(() => void playByItself())
video.muted = muted
video.loop = loop
unmute.addEventListener('click', () => {
  video.muted = false
})
video.addEventListener('volumechange', () => {
  if (!video.muted) unmute.hidden = true
})
const lift = () => {
  if (stage.dataset.state === 'loading') showVideo()
}
for (const event of ['loadeddata', 'canplay']) video.addEventListener(event, lift)
const startOver = () => {
  // A start past the end is a start at the beginning.
  if (start >= video.duration) video.currentTime = 0
}
video.addEventListener('loadedmetadata', startOver, { once: true })
addEventListener('online', () => interrupted?.())
// A spinner while the picture waits for data; the style sheet shows it only when that takes long enough to be noticed.
for (const event of ['waiting', 'seeking']) video.addEventListener(event, () => waits(true))
for (const event of ['canplay', 'seeked', 'playing']) video.addEventListener(event, () => waits(false))
// Shortcuts work from the moment the page is looked at, before anything has the focus.
document.addEventListener('keydown', (event) => {
  if (event.target === document.body && stage.dataset.state === 'playing') {
    ;(player as HTMLElement & { keyboardShortcutHandler?(event: KeyboardEvent): void }).keyboardShortcutHandler?.(event)
  }
})

void open()
