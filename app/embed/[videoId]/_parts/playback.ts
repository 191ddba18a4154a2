import Hls, { ErrorTypes, Events } from 'hls.js/light'
import type { Renditions } from './renditions.ts'
import type { Session } from './session.ts'
import { sessionLoader } from './session-loader.ts'

/** What stopped the video: access that ran out, a network that fails, or media that cannot be read. */
export type Stop = 'refused' | 'offline' | 'broken'

export interface Playback {
  /** Begins anew at the session's address, from where it stands. */
  reload(): void
  /** Goes on after `offline` or `broken`. */
  resume(): void
  /** Ends for good, without what was loaded ahead. */
  stop(): void
}

/** Whether and how this browser plays HLS. hls.js is asked first: Chromium says "maybe" to HLS that it then plays worse. */
export function waysToPlay(video: HTMLVideoElement): 'hls.js' | 'native' | undefined {
  if (Hls.isSupported()) return 'hls.js'
  return video.canPlayType('application/vnd.apple.mpegurl') === '' ? undefined : 'native'
}

interface Wanted {
  video: HTMLVideoElement
  renditions: Renditions
  session: Session
  /** Seconds. */
  start: number
  onStop(stop: Stop): void
}

const PATIENCE = { maxNumRetry: 4, retryDelayMs: 1_000, maxRetryDelayMs: 4_000 }

/** Seconds that are held ahead while the video plays, by its bit rate and at most; until then the first segment alone. */
const PLAYING = { maxBufferLength: 30, maxMaxBufferLength: 60 }
const AT_REST = { maxBufferLength: 0.5, maxMaxBufferLength: 0.5 }

/** Plays with hls.js. Before the first play it loads playlists and one segment, which shows the first picture. */
export function playWithHls({ video, renditions, session, start, onStop }: Wanted): Playback {
  const hls = new Hls({
    loader: sessionLoader(session),
    startPosition: start > 0 ? start : -1,
    // No larger picture than the frame shows, and no more ahead than rides out a bad moment.
    capLevelToPlayerSize: true,
    ...AT_REST,
    // A test of the bandwidth would load a segment and throw it away.
    testBandwidth: false,
    backBufferLength: 60,
    // Somebody who waits should hear of it before half a minute has gone.
    fragLoadPolicy: { default: { ...Hls.DefaultConfig.fragLoadPolicy.default, errorRetry: PATIENCE, timeoutRetry: PATIENCE } },
  })
  // hls.js reads its settings again with each of its ticks, ten a second.
  video.addEventListener('play', () => Object.assign(hls.config, PLAYING, { testBandwidth: true }), { once: true })
  hls.on(Events.MANIFEST_PARSED, () => {
    // After a change of address hls.js has forgotten what the viewer chose.
    if (renditions.chosen >= 0) hls.loadLevel = renditions.chosen
    renditions.follow(hls)
  })

  let recoveredAt = Number.NEGATIVE_INFINITY
  hls.on(Events.ERROR, (_event, { fatal, type, response }) => {
    // Without a network there is nothing to retry until the browser says that it is back.
    if (type === ErrorTypes.NETWORK_ERROR && !navigator.onLine) {
      hls.stopLoad()
      return onStop('offline')
    }
    // hls.js tries again, or stays with a quality whose playlist it has: what plays is not stopped for that.
    if (!fatal) return
    if (type === ErrorTypes.NETWORK_ERROR) return onStop(isSourceRejected(response?.code) ? 'refused' : 'offline')
    // A decoder that stumbled once is reset; one that stumbles again at once will not get further.
    if (type !== ErrorTypes.MEDIA_ERROR || performance.now() - recoveredAt < 5_000) return onStop('broken')
    recoveredAt = performance.now()
    hls.recoverMediaError()
  })
  hls.loadSource(session.address)
  hls.attachMedia(video)

  return {
    reload() {
      hls.config.startPosition = video.currentTime
      // Another source takes the old one off the element, which pauses it.
      if (!video.paused) video.addEventListener('loadedmetadata', () => void video.play().catch(() => {}), { once: true })
      hls.loadSource(session.address)
    },
    resume() {
      if (video.error) hls.recoverMediaError()
      if (hls.levels.length > 0) hls.startLoad()
      else hls.loadSource(session.address)
    },
    stop: () => hls.destroy(),
  }
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
    // One without a source is paused by the browser, and not by the viewer.
    if (video.readyState > HTMLMediaElement.HAVE_NOTHING && !video.error) wanted = false
  })
  video.addEventListener('error', () => {
    position = video.currentTime || position
    // It does not say which answer it got: a refusal is the one that a renewed session can mend.
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
