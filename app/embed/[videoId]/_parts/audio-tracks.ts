import type Hls from 'hls.js'
import { rememberLanguage } from './preferences.ts'

/** A track as Media Chrome's audio menu expects it (the interface `AudioTrack` of HTML). */
interface Track {
  id: string
  kind: string
  label: string
  language: string
  enabled: boolean
}

/**
 * The `audioTracks` that Media Chrome's audio menu reads from its media element, synchronized with hls.js's audio tracks. It must be on the
 * element before the controls load, and stays empty with native playback, where the browser has its own.
 */
export class AudioTracks extends EventTarget {
  private list: Track[] = []

  get length(): number {
    return this.list.length
  }

  [Symbol.iterator](): Iterator<Track> {
    return this.list[Symbol.iterator]()
  }

  /** Reads the tracks that `hls` found. */
  follow(hls: Hls): void {
    this.list = hls.audioTracks.map(({ name, lang = '' }, at) => ({
      id: String(at),
      kind: at === 0 ? 'main' : 'alternative',
      label: name,
      language: lang,
      get enabled() {
        return hls.audioTrack === at
      },
      // Media Chrome sets it on every track, true on the chosen one.
      set enabled(chosen) {
        if (!chosen || hls.audioTrack === at) return
        hls.audioTrack = at
        rememberLanguage(lang)
      },
    }))
    this.dispatchEvent(new Event('addtrack'))
  }

  /** Reads which track is enabled after `hls` changed it. */
  changed(): void {
    this.dispatchEvent(new Event('change'))
  }
}
