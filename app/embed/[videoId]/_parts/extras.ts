import type { PlaybackSession } from '#server/playback/session'
import { captionsButton, player, titleBar, video } from './stage.ts'

/** Brings what stands around the picture: title, poster, captions, seek previews. A video plays without them just as well. */
export async function showExtras(masterPlaylistUrl: string, wanted: { title: boolean }): Promise<void> {
  const answer = await fetch(new URL('session.json', masterPlaylistUrl), { credentials: 'omit', referrerPolicy: 'no-referrer' })
  if (!answer.ok) return
  const { title, poster, storyboard, captions } = (await answer.json()) as PlaybackSession
  const address = (file: string) => new URL(file, masterPlaylistUrl).href
  document.title = title
  player.setAttribute('aria-label', title)
  if (wanted.title) {
    titleBar.textContent = title
    titleBar.hidden = false
  }
  if (poster) video.poster = address(poster)
  for (const { language, label, file } of captions) addTrack({ kind: 'subtitles', srclang: language, label, src: address(file) })
  // Media Chrome calls it a plain button and yet says whether it is checked.
  captionsButton.setAttribute('role', 'switch')
  // The label is how Media Chrome finds it.
  if (storyboard) addTrack({ kind: 'metadata', label: 'thumbnails', src: address(storyboard), default: true })
}

function addTrack(properties: Partial<HTMLTrackElement>): void {
  video.append(Object.assign(document.createElement('track'), properties))
}
