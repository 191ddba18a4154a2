'use client'

import { AudioTracks } from './audio-tracks.ts'
import { accentOf } from './color.ts'
import { exchange } from './exchange.ts'
import { delayExtras, moveExtras, showExtras } from './extras.ts'
import { type NoticeName, noticeFor } from './notices.ts'
import { readOptions } from './options.ts'
import { listenToParent, postToParent } from './parent-page.ts'
import type { Playback, Stop } from './playback.ts'
import { Renditions } from './renditions.ts'
import { Reports } from './reports.ts'
import { Session } from './session.ts'
import { listenToShortcuts } from './shortcuts.ts'
import { type Shown, showLoading, showNotice, showVideo, stage, unmute, video } from './stage.ts'
import { textsLoaded } from './texts.ts'

/** The entry of the embed player: token → manifest → video, or a notice with the reason. */
const { token, start, autoplay, muted, loop, title, color, captions, transcript, preview, fills } = readOptions(location.search)
const { api = '', video: videoId = '' } = stage.dataset

const renditions = new Renditions()
Object.defineProperty(video, 'videoRenditions', { value: renditions })
const audioTracks = new AudioTracks()
// Where hls.js cannot play, the browser lists the tracks of its own HLS.
if (['MediaSource', 'ManagedMediaSource', 'WebKitMediaSource'].some((name) => name in window))
  Object.defineProperty(video, 'audioTracks', { value: audioTracks })

// Imported together with the exchange; the page preloads both.
const hls = import('./playback.ts')
/**
 * Controls load after the first frame, which their set-up would delay; after 2 s in any case, where the browser loads no data before a
 * click.
 */
const controls = new Promise<unknown>((resolve) => {
  for (const event of ['loadeddata', 'canplay']) video.addEventListener(event, resolve, { once: true })
  setTimeout(resolve, 2_000)
})
  // The controls read their texts once, when they are created.
  .then(() => textsLoaded)
  .then(() => import('./controls.ts'))

const reports = preview ? undefined : new Reports(`/embed/${encodeURIComponent(videoId)}/beacon`, stopped)

let playback: Playback | undefined
let session: Session | undefined
let reopening = false
let reopenedAt = Number.NEGATIVE_INFINITY
/** Continues when the network is back. */
let interrupted: (() => void) | undefined
let wasPlaying = false
/** Shows a notice once the buffer is used up. */
let onWaiting: (() => void) | undefined

async function open(): Promise<void> {
  if (!token) {
    // Without them the notice is in English.
    await textsLoaded.catch(() => {})
    return notify('invalid', { code: 'No playback token in the URL' })
  }
  showLoading()
  // The video does not wait for its controls.
  const [answer, parts] = await Promise.all([exchange(api, videoId, token), hls, textsLoaded]).catch(() => [])
  // The player's own files failed to load; browsers cache a failed import, so only a reload retries it.
  if (!answer || !parts) return notify('offline', { onRetry: () => location.reload() })
  const { playNatively, playWithHls, waysToPlay } = parts
  const way = waysToPlay(video)
  if (!way) return notify('unsupported')
  if (!answer.ok) {
    if (answer.code === undefined) interrupted = () => void open()
    return refuse(noticeFor(answer.code, answer.reason), answer.code, answer.requestId)
  }
  interrupted = undefined
  if (answer.manifest.watermark && !(await showWatermark(answer.manifest.watermark.label))) return
  const opened = new Session(answer.manifest.masterPlaylistUrl, follow)
  session = opened
  follow(opened.address)
  controls.then(
    () => void showExtras(opened, { title, captions, transcript }).catch(() => {}),
    () => notify('offline', { onRetry: () => location.reload() }),
  )
  const duration = () => opened.ask().then((found) => found?.durationSec)
  const cmcd = stage.dataset.cmcd === undefined ? undefined : videoId
  // A time in the address of the page has priority, also its beginning.
  const wanted = {
    video,
    renditions,
    audioTracks,
    session,
    start: start ?? answer.manifest.resumeAt ?? 0,
    cmcd,
    duration,
    onDelay: delayExtras,
    onStop,
  }
  // An iPhone loads no frame before play is requested.
  if (way === 'native') video.addEventListener('loadedmetadata', lift)
  playback = way === 'native' ? playNatively(wanted) : playWithHls(wanted)
  if (autoplay) await startAutoplay()
}

/** Prepares the label over the video. False, with a notice, if the file that draws it failed to load: the video does not play without. */
async function showWatermark(label: string): Promise<boolean> {
  const file = await import('./watermark.ts').catch(() => undefined)
  const fill = fills ? (value: boolean) => postToParent({ type: 'fill', value }) : undefined
  file?.drawWatermark({ label, onHidden: () => stopped('watermark'), fill })
  if (!file) notify('offline', { onRetry: () => location.reload() })
  return file !== undefined
}

/** Moves reports and tracks to the session's address. */
function follow(address: string): void {
  reports?.follow(address)
  moveExtras(address)
}

function refuse(name: NoticeName, code?: string, requestId?: string): void {
  afterBuffer(() =>
    notify(name, {
      error: code,
      code: [code, requestId].filter(Boolean).join(' · '),
      onRetry: () => void (playback ? reopen() : open()),
    }),
  )
}

/**
 * The owner ended the session, or does not allow it from here, or the viewer hid the watermark: the buffer is not shown either, and the token
 * opens no new session here.
 */
function stopped(notice: NoticeName = 'stopped'): void {
  if (stage.dataset.state === 'stopped') return
  interrupted = onWaiting = undefined
  playback?.stop()
  notify(notice)
}

/** Shows a notice after the buffer is used up; the cause may be resolved before that. */
function afterBuffer(show: () => void): void {
  onWaiting = undefined
  if (video.readyState > HTMLMediaElement.HAVE_CURRENT_DATA) onWaiting = show
  else show()
}

/** Shows a notice and reports it to the parent page and to analytics. */
function notify(name: NoticeName, { error, ...shown }: Shown & { error?: string } = {}): void {
  const message = showNotice(name, shown)
  reports?.failed(name)
  postToParent({ type: 'error', reason: name, code: error ?? `PLAYER_${name.toUpperCase()}`, message })
}

function onStop(stop: Stop): void {
  if (stop === 'refused') {
    void reopen()
    return
  }
  const show = () => {
    // At a second error the video is already paused by the first one's notice.
    wasPlaying ||= !video.paused
    notify(stop, { onRetry: resume })
  }
  if (stop === 'offline') {
    interrupted = resume
    afterBuffer(show)
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
 * Handles refused playlists that the loader could not recover: the session expired, or the video was deleted. Renews the session, or opens
 * a new one if the token is still valid; otherwise shows the error.
 */
async function reopen(): Promise<void> {
  if (reopening || !token || !session) return
  // Refused again under a new address: another one does not help.
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
    const name = noticeFor(answer.code, answer.reason)
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

/** Browsers that refuse audio without a click still allow muted autoplay. */
async function startAutoplay(): Promise<void> {
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
listenToParent(() => void startAutoplay())
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
  // A start past the end starts at the beginning.
  if (start !== undefined && start >= video.duration) video.currentTime = 0
}
video.addEventListener('loadedmetadata', startOver, { once: true })
addEventListener('online', () => interrupted?.())
// Shows a spinner while the video waits for data; the style sheet delays it, so that short waits show none.
for (const event of ['waiting', 'seeking']) video.addEventListener(event, () => waits(true))
for (const event of ['canplay', 'seeked', 'playing']) video.addEventListener(event, () => waits(false))
listenToShortcuts()

void open()
