import { showChapters } from './chapters.ts'
import { delayCues, followCues } from './cue-times.ts'
import { keepCaptions } from './keep-captions.ts'
import type { Options } from './options.ts'
import type { Session } from './session.ts'
import { captionsButton, player, titleBar, video } from './stage.ts'

/** Files of the session that the video's tracks are read from. */
const files = new Map<HTMLTrackElement, string>()

/** Loads title, poster, captions and seek previews. A video plays without them too. */
export async function showExtras(session: Session, wanted: Pick<Options, 'title' | 'captions' | 'transcript'>): Promise<void> {
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
    // Refused because the session expired: after a renewal the file is under another address.
    track.addEventListener('error', () => void session.afterRefusal(track.src).catch(() => {}))
    files.set(track, file)
    followCues(track)
    video.append(track)
    return track
  }
  const first = captions.find(({ language }) => language.toLowerCase() === wanted.captions?.toLowerCase())
  const tracks = captions.map((one) =>
    addTrack(one.file, { kind: 'subtitles', srclang: one.language, label: one.label, default: one === first }),
  )
  // Media Chrome gives it the role of a button but sets aria-checked.
  captionsButton.setAttribute('role', 'switch')
  // Media Chrome finds the track by its label.
  if (storyboard) keepCaptions(addTrack(storyboard, { kind: 'metadata', label: 'thumbnails', default: true }).track)
  showChapters(found.chapters ?? [], found.durationSec)
  if (wanted.transcript === false || tracks.length === 0) return
  const { offerTranscript } = await import('./transcript.ts')
  offerTranscript(tracks, wanted.transcript === 'open')
}

/** Moves the cues of all tracks to `seconds` after the times of their files. */
export const delayExtras = (seconds: number): void => delayCues(seconds, files.keys())

/**
 * Moves the tracks to another address of the session. Captions that are loaded stay unchanged; the images of seek previews are next to
 * their track and are fetched on demand. The source for AirPlay receivers moves too.
 */
export function moveExtras(masterPlaylistUrl: string): void {
  for (const source of video.querySelectorAll<HTMLSourceElement>('source[type="application/vnd.apple.mpegurl"]'))
    source.src = masterPlaylistUrl
  for (const [track, file] of files) {
    if (track.readyState === HTMLTrackElement.LOADED && track.kind !== 'metadata') continue
    track.src = new URL(file, masterPlaylistUrl).href
  }
}
