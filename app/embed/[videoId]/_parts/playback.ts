import Hls, { ErrorTypes, Events, type HlsConfig } from 'hls.js'
import { followAdditions } from './additions.ts'
import type { AudioTracks } from './audio-tracks.ts'
import { followGrowth, OnDemandHls } from './growing.ts'
import { preferredLanguage } from './preferences.ts'
import type { Renditions } from './renditions.ts'
import type { Session } from './session.ts'
import { sessionLoader } from './session-loader.ts'
import { type DynamicRange, smoothAv1 } from './smooth-codecs.ts'

/** Why the video stopped: expired access, a failing network, or unreadable media. */
export type Stop = 'refused' | 'offline' | 'broken'

export interface Playback {
  /** Reloads from the session's address at the current position. */
  reload(): void
  /** Continues after `offline` or `broken`. */
  resume(): void
  /** Stops permanently and discards the buffer. */
  stop(): void
}

/** The response is there before the first playlist is. */
const av1 = smoothAv1()

/** Returns whether and how this browser plays HLS. Checks hls.js first: Chromium returns "maybe" for HLS but plays it worse. */
export function waysToPlay(video: HTMLVideoElement): 'hls.js' | 'native' | undefined {
  if (Hls.isSupported()) return 'hls.js'
  return video.canPlayType('application/vnd.apple.mpegurl') === '' ? undefined : 'native'
}

interface Wanted {
  video: HTMLVideoElement
  renditions: Renditions
  audioTracks: AudioTracks
  session: Session
  /** Whether requests carry measurements for a CDN's log (CTA-5004) about the video of this id. */
  cmcd: string | undefined
  /** Seconds. */
  start: number
  /** Returns the whole duration in seconds of a video that still grows. */
  duration(): Promise<number | undefined>
  /** Called with the seconds from the player's beginning to the first frame. */
  onDelay(seconds: number): void
  onStop(stop: Stop): void
}

const PATIENCE = { maxNumRetry: 4, retryDelayMs: 1_000, maxRetryDelayMs: 4_000 }

/** Seconds buffered ahead while the video plays, by its bit rate and at most; before the first play, one segment. */
const PLAYING = { maxBufferLength: 30, maxMaxBufferLength: 60 }
const AT_REST = { maxBufferLength: 0.5, maxMaxBufferLength: 0.5 }

/** Plays with hls.js. Before the first play it loads the playlists and one segment, which shows the first frame. */
export function playWithHls(wanted: Wanted): Playback {
  const { video, renditions, audioTracks, session, cmcd, start, onStop } = wanted
  const hls = new OnDemandHls({
    loader: sessionLoader(session),
    startPosition: start,
    // Limits the rendition to the frame's size, and the buffer to what bridges a short network failure.
    capLevelToPlayerSize: true,
    ...AT_REST,
    // A bandwidth test would load a segment and discard it.
    testBandwidth: false,
    backBufferLength: 60,
    // Embedded captions (CEA-608) become a track once there is one; those in files are tracks of the page (extras.ts).
    enableWebVTT: false,
    enableIMSC1: false,
    // A waiting viewer sees the notice within half a minute.
    fragLoadPolicy: { default: { ...Hls.DefaultConfig.fragLoadPolicy.default, errorRetry: PATIENCE, timeoutRetry: PATIENCE } },
    ...(cmcd === undefined ? {} : { cmcd: { contentId: cmcd, useHeaders: false } }),
  })
  const language = preferredLanguage()
  if (language) hls.config.audioPreference = { lang: language }
  hls.on(Events.AUDIO_TRACKS_UPDATED, () => audioTracks.follow(hls))
  hls.on(Events.AUDIO_TRACK_SWITCHING, () => audioTracks.changed())
  followGrowth(hls, wanted.duration)
  // hls.js reads its settings on each of its ticks, ten a second.
  video.addEventListener('play', () => Object.assign(hls.config, PLAYING, { testBandwidth: true }), { once: true })
  let ranges: DynamicRange[] = []
  hls.on(Events.MANIFEST_PARSED, () => renditions.follow(hls, ranges))

  hls.on(Events.FRAG_BUFFERED, (_event, { frag }) => {
    const first = frag.type === 'main' ? frag.elementaryStreams.video?.startPTS : undefined
    if (first !== undefined) wanted.onDelay(Math.max(0, first - frag.playlistOffset))
  })

  endShortStream(hls)

  let recoveredAt = Number.NEGATIVE_INFINITY
  hls.on(Events.ERROR, (_event, { fatal, type, response }) => {
    // Without a network a retry is useless until the browser reports that it is back.
    if (type === ErrorTypes.NETWORK_ERROR && !navigator.onLine) {
      hls.stopLoad()
      return onStop('offline')
    }
    // hls.js retries or keeps the rendition whose playlist it has: playback continues.
    if (!fatal) return
    if (type === ErrorTypes.NETWORK_ERROR) return onStop(isSourceRejected(response?.code) ? 'refused' : 'offline')
    // A decoder that failed once is reset; one that fails again at once cannot recover.
    if (type !== ErrorTypes.MEDIA_ERROR || performance.now() - recoveredAt < 5_000) return onStop('broken')
    recoveredAt = performance.now()
    hls.recoverMediaError()
  })
  hls.on(Events.MEDIA_ATTACHING, () => offerAirPlay(video, session.address))
  hls.attachMedia(video)
  void av1.then((smooth) => {
    ranges = smooth
    Object.assign(hls.config, preferenceOf(smooth))
    hls.loadSource(session.address)
  })

  const reload = () => {
    hls.config.startPosition = video.currentTime
    // A new source detaches the old one from the element, which pauses it.
    if (!video.paused) video.addEventListener('loadedmetadata', () => void video.play().catch(() => {}), { once: true })
    hls.loadSource(session.address)
  }
  followAdditions(hls, () => session.address, reload)

  return {
    reload,
    resume() {
      if (video.error) hls.recoverMediaError()
      if (hls.levels.length > 0) hls.startLoad()
      else hls.loadSource(session.address)
    },
    stop: () => hls.destroy(),
  }
}

/**
 * Returns what hls.js prefers, of the codecs that a browser supports: H.264 where AV1 is not smooth, otherwise AV1 and the dynamic ranges in
 * which it is. Without a preference, hls.js begins in SDR on every screen.
 */
function preferenceOf(smooth: DynamicRange[]): Pick<HlsConfig, 'videoPreference'> {
  if (smooth.length === 0) return { videoPreference: { videoCodec: 'avc1' } }
  return smooth.length > 1 ? { videoPreference: { preferHDR: true, allowedVideoRanges: smooth } } : {}
}

/**
 * Ends a stream of a single segment once it is in the buffer. A decoder may show a few frames only after their stream has ended, while
 * hls.js ends a stream only after a frame was shown if its audio is separate, or if the first frame is after the beginning.
 */
function endShortStream(hls: Hls): void {
  const whole = new Set<string>()
  hls.on(Events.MANIFEST_LOADING, () => whole.clear())
  hls.on(Events.FRAG_BUFFERED, (_event, { frag }) => {
    if (frag.sn !== 0 || !frag.endList) return
    whole.add(frag.type)
    const apart = Boolean(hls.audioTracks[hls.audioTrack]?.url)
    if (!whole.has('main') || (apart && !whole.has('audio'))) return
    for (const type of ['audio', 'video'] as const) hls.trigger(Events.BUFFER_EOS, { type })
  })
}

/**
 * Adds the playlist as a second source for AirPlay receivers, which cannot play a ManagedMediaSource (Safari's). Without one hls.js forbids
 * remote playback, since Safari otherwise refuses to open the first source.
 */
function offerAirPlay(video: HTMLVideoElement, address: string): void {
  // A receiver would show the video without its watermark.
  if (!video.querySelector('source') || video.getAttribute('x-webkit-airplay') === 'deny') return
  video.append(Object.assign(document.createElement('source'), { type: 'application/vnd.apple.mpegurl', src: address }))
  video.disableRemotePlayback = false
}

/** Plays with the browser's own HLS (Safari on older iPhones). */
export function playNatively({ video, session, start, onStop }: Wanted): Playback {
  let position = start
  let wanted = false
  const load = () => {
    video.src = session.address
    video.load()
  }
  video.addEventListener('loadedmetadata', () => {
    if (position > 0 && position < video.duration) video.currentTime = position
    if (wanted && video.paused) void video.play().catch(() => {})
  })
  video.addEventListener('play', () => {
    wanted = true
  })
  video.addEventListener('pause', () => {
    // The browser pauses an element without a source; the viewer did not.
    if (video.readyState > HTMLMediaElement.HAVE_NOTHING && !video.error) wanted = false
  })
  video.addEventListener('error', () => {
    position = video.currentTime || position
    // The element does not report the status: a refusal is the one error that a renewed session can fix.
    onStop(video.error?.code === MediaError.MEDIA_ERR_DECODE ? 'broken' : 'refused')
  })
  load()
  const stop = () => {
    video.removeAttribute('src')
    video.load()
  }
  return { reload: load, resume: load, stop }
}

const isSourceRejected = (status: number | undefined) => status !== undefined && [401, 403, 404, 410].includes(status)
