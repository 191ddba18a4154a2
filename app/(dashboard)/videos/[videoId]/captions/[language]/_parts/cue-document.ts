import { KEPT_TAG, TAGS, timeStamp } from '#server/platform/speech/cue-files'

/** A caption as the editor holds it. Times in milliseconds. */
export interface Cue {
  /** Its own among the cues of a document. */
  id: number
  startMs: number
  endMs: number
  /** Settings of WebVTT, such as `line:0`; empty for most. */
  settings: string
  /** The text as WebVTT has it. Empty while the field has only blanks. */
  vtt: string
  /** The text as its field has it (`textOf`). */
  text: string
}

const HEADER = 'WEBVTT\n\n'

/** Returns the cues of a WebVTT file as the service stores them (normalized). */
export function parseVtt(file: string): Cue[] {
  return file
    .slice(HEADER.length)
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block, at) => {
      const [timing = '', ...lines] = block.replace(/\n$/, '').split('\n')
      const [start = '', , end = '', ...settings] = timing.split(' ')
      const vtt = lines.join('\n')
      return { id: at + 1, startMs: msOf(start), endMs: msOf(end), settings: settings.join(' '), vtt, text: textOf(vtt) }
    })
}

const msOf = (stamp: string) => Math.round(stamp.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * 1_000)

/** Returns cues as a WebVTT file. Unchanged cues keep their exact text. */
export function toVtt(cues: readonly Cue[]): string {
  const blocks = cues.map(({ startMs, endMs, settings, vtt }) => {
    const timing = `${timeStamp(startMs / 1_000)} --> ${timeStamp(endMs / 1_000)}`
    return [settings ? `${timing} ${settings}` : timing, ...(vtt ? [vtt] : []), ''].join('\n')
  })
  return HEADER + blocks.join('\n')
}

/** Of an entity, the `&` stays. */
const AMPERSAND = /&(?!#?\w+;)/g
/** What is no beginning of a tag that captions may contain. */
const LESS_THAN = new RegExp(`&lt;(?!${KEPT_TAG.source.slice(2, -1)})`, 'gi')

/** Returns a cue's text as a person edits it: tags as they are, and characters instead of entities where they cannot be taken for tags. */
export const textOf = (vtt: string): string =>
  vtt
    .replace(/&amp;(?!#?\w+;)/g, '&')
    .replaceAll('&gt;', '>')
    .replace(LESS_THAN, '<')

/** Returns an edited text as WebVTT has it, without blank lines. What is no tag that captions may contain stays visible. */
export function vttOf(text: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) =>
      line
        .split(TAGS)
        .map((part) => (KEPT_TAG.test(part) ? part : part.replace(AMPERSAND, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')))
        .join(''),
    )
    .join('\n')
}

/** Formats a time as the editor shows it: 0:12.400, 1:02:03.000. */
export function formatTime(ms: number): string {
  const stamp = timeStamp(ms / 1_000)
  return stamp.replace(/^00:0?/, '').replace(/^0(?=\d+:\d\d:)/, '')
}

/** Returns the milliseconds of a time as people write it: `12.4`, `0:12,4`, `1:02:03.5`. Undefined for anything else. */
export function readMs(text: string): number | undefined {
  const match = /^(?:(?:(\d{1,3}):)?(\d{1,2}):)?(\d{1,5})(?:[.,](\d{1,3}))?$/.exec(text.trim())
  if (!match) return undefined
  const [, hours, minutes, seconds = '0', fraction = ''] = match
  if ((hours !== undefined && Number(minutes) > 59) || (minutes !== undefined && Number(seconds) > 59)) return undefined
  return (Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds)) * 1_000 + Number(fraction.padEnd(3, '0'))
}

/** Returns the position of the cue that is shown at a time; of two, the later one. -1 if none is. */
export function cueAt(cues: readonly Cue[], ms: number): number {
  let [low, high] = [0, cues.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cues[middle]?.startMs ?? 0) <= ms) low = middle + 1
    else high = middle
  }
  // A long cue may still be shown after the beginning of others.
  for (let at = low - 1; at >= Math.max(0, low - 4); at--) if ((cues[at]?.endMs ?? 0) > ms) return at
  return -1
}
