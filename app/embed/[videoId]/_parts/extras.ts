import type { Session } from './session.ts'
import { captionsButton, player, titleBar, video } from './stage.ts'

/** Files of the session that the video's tracks are read from. */
const files = new Map<HTMLTrackElement, string>()

/** Brings what stands around the picture: title, poster, captions, seek previews. A video plays without them just as well. */
export async function showExtras(session: Session, wanted: { title: boolean }): Promise<void> {
  const found = await session.ask()
  if (!found) return
  const { title, poster, storyboard, captions } = found
  const address = (file: string) => new URL(file, session.address).href
  document.title = title
  player.setAttribute('aria-label', title)
  if (wanted.title) {
    titleBar.textContent = title
    titleBar.hidden = false
  }
  if (poster) video.poster = address(poster)
  const addTrack = (file: string, properties: Partial<HTMLTrackElement>) => {
    const track = Object.assign(document.createElement('track'), properties, { src: address(file) })
    // Refused because the session ran out: renewed, it is found under another address.
    track.addEventListener('error', () => void session.afterRefusal(track.src).catch(() => {}))
    files.set(track, file)
    video.append(track)
  }
  for (const { language, label, file } of captions) addTrack(file, { kind: 'subtitles', srclang: language, label })
  // Media Chrome calls it a plain button and yet says whether it is checked.
  captionsButton.setAttribute('role', 'switch')
  // The label is how Media Chrome finds it.
  if (storyboard) addTrack(storyboard, { kind: 'metadata', label: 'thumbnails', default: true })
}

/**
 * Moves the tracks to another address of the session. Captions that have been read stay as they are; the pictures of seek previews
 * stand beside their track and are fetched when they are wanted.
 */
export function moveExtras(masterPlaylistUrl: string): void {
  for (const [track, file] of files) {
    if (track.readyState === HTMLTrackElement.LOADED && track.kind !== 'metadata') continue
    track.src = new URL(file, masterPlaylistUrl).href
  }
}
