import { escaped } from '../../../_parts/player/escaped.ts'
import { clock } from './clock.ts'
import { keepCaptions } from './keep-captions.ts'
import { video } from './stage.ts'

export interface Chapter {
  /** Seconds. */
  startSec: number
  title: string
}

const entry = document.getElementById('chapters') as HTMLElement
const list = document.getElementById('chapter-list') as HTMLElement & { value: string }

/** Shows chapters as marks on the seek bar, in its preview, and in a menu that seeks to them. */
export function showChapters(chapters: readonly Chapter[], durationSec: number): void {
  if (chapters.length === 0) return
  // Media Chrome draws the cues of the first track of this kind.
  const track = video.addTextTrack('chapters')
  keepCaptions(track)
  chapters.forEach(({ startSec, title }, at) => {
    const end = chapters[at + 1]?.startSec ?? Math.max(durationSec, startSec)
    track.addCue(new VTTCue(startSec, end, escaped(title)))
  })
  list.append(
    ...chapters.map(({ startSec, title }, at) => {
      const item = document.createElement('media-chrome-menu-item') as HTMLElement & { type: string; value: string }
      item.type = 'radio'
      item.value = String(at)
      item.textContent = `${clock(startSec)} ${title}`
      return item
    }),
  )
  list.addEventListener('change', () => {
    const chosen = chapters[Number(list.value)]
    if (chosen) video.currentTime = chosen.startSec
  })
  const follow = () => {
    const at = chapters.findLastIndex(({ startSec }) => startSec <= video.currentTime)
    if (at >= 0 && list.value !== String(at)) list.value = String(at)
  }
  video.addEventListener('timeupdate', follow)
  follow()
  entry.hidden = false
}
