import type { NoticeName } from '../notices.ts'

/** A text with `{name}` in it. */
type With<Name extends string> = `${string}{${Name}}${string}`

/** A screen shown instead of the video: what happened, and what the viewer can do. */
export interface Notice {
  title: string
  text: string
  /** Replaces `text` where the player is not in another page. */
  alone?: string
}

/** Every text of the player in one language. */
export interface Texts {
  /** Names of Media Chrome's controls, by its own English texts with a small first letter. */
  controls: {
    play: string
    pause: string
    mute: string
    unmute: string
    volume: string
    seek: string
    'seek back {seekOffset} seconds': With<'seekOffset'>
    'seek forward {seekOffset} seconds': With<'seekOffset'>
    settings: string
    auto: string
    off: string
    'playback time': string
    'closed captions': string
    'enable captions': string
    'disable captions': string
    'start airplay': string
    'stop airplay': string
    'enter fullscreen mode': string
    'exit fullscreen mode': string
    'enter picture in picture mode': string
    'exit picture in picture mode': string
    'video not loaded, unknown time.': string
    '{currentTime} of {totalTime}': With<'currentTime'> & With<'totalTime'>
    'chapter: {chapterName}': With<'chapterName'>
  }
  /** Menus and buttons of the document, by their `data-text`. */
  labels: Record<'loading' | 'quality' | 'audio' | 'captions' | 'speed' | 'chapters' | 'unmute' | 'retry' | 'replay', string>
  /** The name of a submenu's button that returns to the menu before; begins with the visible title. */
  back: With<'menu'>
  /** Captions embedded in the video, which have no name. `number` begins at 2. */
  pictureCaptions: string
  morePictureCaptions: With<'number'>
  /** How far a video that is still being processed can be watched. */
  available: With<'time'>
  growing: With<'time'>
  held: With<'time'>
  complete: string
  /** The transcript panel: its title, controls and states. */
  transcript: Record<
    'title' | 'search' | 'none' | 'previous' | 'next' | 'language' | 'copy' | 'copied' | 'notCopied' | 'close' | 'back' | 'failed',
    string
  > & { found: With<'number'> & With<'count'> }
  notices: Record<NoticeName, Notice>
}
