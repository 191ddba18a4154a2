import type Hls from 'hls.js'
import { Events } from 'hls.js'
import { video } from './stage.ts'

/** Least time between two looks at the master playlist. */
const LOOK_MS = 10_000
/** What a viewer can choose: renditions and audio tracks. */
const CHOICES = /^#EXT-X-(?:STREAM-INF:|MEDIA:TYPE=AUDIO)/gm

/**
 * Reloads a growing video when its master playlist, which hls.js reads once, lists more renditions or tracks than before. A reload interrupts
 * playback: it waits until the viewer seeks, playback waits for data, or the video is complete and does not play. `address` returns
 * that of the master playlist.
 */
export function followAdditions(hls: Hls, address: () => string, reload: () => void): void {
  let known = 0
  let grows = false
  let lookedAt = Number.NEGATIVE_INFINITY

  const look = async () => {
    if (!grows || performance.now() - lookedAt < LOOK_MS) return
    lookedAt = performance.now()
    const choices = await choicesIn(address())
    if (choices <= known) return
    known = choices
    reload()
  }
  hls.on(Events.MANIFEST_LOADED, (_event, { levels, audioTracks }) => {
    known = Math.max(known, levels.length + audioTracks.length)
    grows = false
  })
  hls.on(Events.LEVEL_UPDATED, (_event, { details }) => {
    const ended = grows && !details.live
    grows ||= details.live
    if (!ended || !video.paused) return
    lookedAt = Number.NEGATIVE_INFINITY
    void look()
  })
  for (const event of ['seeking', 'waiting']) video.addEventListener(event, () => void look())
}

/** Returns the number of renditions and tracks in a master playlist; 0 when it cannot be read. */
async function choicesIn(address: string): Promise<number> {
  const options = { credentials: 'omit', cache: 'no-cache', referrerPolicy: 'no-referrer' } as const
  const response = await fetch(address, options).catch(() => undefined)
  return response?.ok ? ((await response.text()).match(CHOICES)?.length ?? 0) : 0
}
