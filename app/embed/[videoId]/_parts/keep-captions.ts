import { video } from './stage.ts'

/**
 * Keeps captions in their place when a cue of a track that is not shown begins: Chromium 156 moves the caption that is shown at that time
 * to the upper edge. Shown again, it is where it was.
 */
export function keepCaptions(track: TextTrack): void {
  track.addEventListener('cuechange', () => {
    for (const shown of [...video.textTracks].filter(({ mode }) => mode === 'showing')) {
      shown.mode = 'hidden'
      shown.mode = 'showing'
    }
  })
}
