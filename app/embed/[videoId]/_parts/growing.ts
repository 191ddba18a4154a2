import Hls, { Events } from 'hls.js'
import { clock } from './clock.ts'
import { availability, player, say, video } from './stage.ts'
import { fill, texts } from './texts.ts'

/** Seconds before the end of what can be watched at which a seek beyond it is held, so that there is a frame to show. */
const HELD_SEC = 0.5

/** hls.js for videos that grow while they are processed: these have no live edge to start at or to jump to. */
export class OnDemandHls extends Hls {
  override get liveSyncPosition(): number | null {
    return null
  }
}

/**
 * Shows a video whose playlists still grow as one of its whole duration: marks on the seek bar how far it can be watched, holds seeks beyond
 * that, and makes it an ordinary video once its playlist ends. `duration` returns the whole duration in seconds.
 */
export function followGrowth(hls: Hls, duration: () => Promise<number | undefined>): void {
  let growing = false
  let available = 0
  let whole: number | undefined
  let source: MediaSource | undefined

  const upTo = (name: 'available' | 'growing' | 'held') => fill(texts()?.[name] ?? '', { time: clock(available) })

  /** Sets the duration that the controls show. hls.js itself sets that of the playlist when it is longer. */
  const stretch = () => {
    if (!growing || !whole || source?.readyState !== 'open' || whole <= available || source.duration === whole) return
    if ([...source.sourceBuffers].some(({ updating }) => updating)) return
    source.duration = whole
  }
  const show = () => {
    const ends = whole ?? available
    player.toggleAttribute('data-growing', growing)
    player.style.setProperty('--available', `${ends > 0 ? (100 * available) / ends : 100}%`)
    availability.textContent = growing ? upTo('available') : ''
  }
  const hold = () => {
    if (!growing || video.currentTime <= available) return
    video.currentTime = Math.max(0, available - HELD_SEC)
    say(upTo('held'))
  }
  hls.on(Events.MEDIA_ATTACHED, (_event, { mediaSource }) => {
    source = mediaSource
  })
  for (const event of [Events.BUFFER_CREATED, Events.BUFFER_APPENDED] as const) hls.on(event, stretch)
  hls.on(Events.LEVEL_UPDATED, (_event, { details }) => {
    const began = details.live && !growing
    const ended = !details.live && growing
    if (!details.live && !growing) return
    growing = details.live
    available = details.edge
    if (began) {
      say(upTo('growing'))
      duration().then((seconds) => {
        whole = seconds
        stretch()
        show()
      })
    }
    if (ended) say(texts()?.complete ?? '')
    stretch()
    show()
  })
  video.addEventListener('seeking', hold)
}
