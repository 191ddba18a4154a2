/** Captions that the server has not accepted, as this browser keeps them. */
export interface UnsavedCaptions {
  /** WebVTT. */
  text: string
  /** The draft and the captions that they change (`Place` of the editor's draft-keeper.ts). */
  revision: number
  basedOn: string | null
  at: Date
}

const PREFIX = 'reelgate-captions '
/** As long as captions can be (MAX_CAPTION_CHARACTERS). */
const MOST_CHARACTERS = 2_000_000
const LONGEST_MS = 30 * 86_400_000

const keyOf = ({ videoId, language }: { videoId: string; language: string }) => `${PREFIX}${videoId} ${language}`
let isForgotten = false

/** Replaces the unsaved captions of a video and language; undefined removes them. Keeps nothing if the browser's storage is full. */
export function keepUnsaved(of: { videoId: string; language: string }, unsaved: UnsavedCaptions | undefined): void {
  try {
    if (!unsaved) localStorage.removeItem(keyOf(of))
    else if (!isForgotten && unsaved.text.length <= MOST_CHARACTERS) localStorage.setItem(keyOf(of), JSON.stringify(unsaved))
  } catch {
    // Not permitted, or full. The page says that they are not saved.
  }
}

/** Returns the unsaved captions of a video and language. Removes any that are older than 30 days or equal to what the server has. */
export function unsavedOf(of: { videoId: string; language: string }, stored: string): UnsavedCaptions | undefined {
  for (const key of keys()) {
    const kept = read(key)
    if (!kept || Date.now() - kept.at.getTime() > LONGEST_MS || (key === keyOf(of) && kept.text === stored)) localStorage.removeItem(key)
  }
  return read(keyOf(of))
}

/** Removes all unsaved captions, and keeps no more until the next page load. */
export function forgetUnsaved(): void {
  isForgotten = true
  for (const key of keys()) localStorage.removeItem(key)
}

function keys(): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))
  } catch {
    return []
  }
}

function read(key: string): UnsavedCaptions | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '') as UnsavedCaptions
    return { ...kept, at: new Date(kept.at) }
  } catch {
    return undefined
  }
}
