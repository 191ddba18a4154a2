import { KEPT_TAG, TAGS, timeStamp } from '../../../platform/speech/cue-files.ts'
import { normalized } from '../../../platform/text/schema.ts'
import { textOfFile } from '../../../platform/text/text-file.ts'

/**
 * Hours may be missing (WebVTT); fractions may follow a comma (SRT) or be missing too. Translation programs insert blanks and shorten the
 * arrow, editors for right-to-left scripts insert marks, and other programs count seconds beyond 59.
 */
const TIME = String.raw`(?:(\d{1,3})\s*:\s*)?(\d{1,2})\s*:\s*(\d{1,2})(?:\s*[.,]\s*(\d{1,9}))?`
const ARROW = String.raw`(?:-\s?-\s?>|(?<=[.,]\s?\d{1,3}\s?)[-–—]>)`
const HIDDEN = String.raw`[\s\p{Cf}]*`
const TIMING = new RegExp(`^${HIDDEN}${TIME}${HIDDEN}${ARROW}${HIDDEN}${TIME}(?!\\d)(.*)$`, 'u')
const SETTING =
  /^(?:vertical:(?:rl|lr)|line:-?[\d.]+%?(?:,\w+)?|position:[\d.]+%(?:,[\w-]+)?|size:[\d.]+%|align:(?:start|center|end|left|right))$/
/** Control characters other than tabs and line ends: nobody sees them, and JSON needs six bytes for each. */
const CONTROLS = /(?![\t\r\n])\p{Cc}/gu

/**
 * Converts a WebVTT or SRT file to normalized WebVTT: only cues, in order of time, without styles, regions and notes. Omits everything
 * else; a file without cues returns `cues` 0. Takes time in proportion to the text. Not a library: the output must contain only listed
 * syntax, which parsers for players do not ensure.
 */
export function toWebVtt(text: string): { vtt: string; cues: number } {
  const cues: { start: number; text: string }[] = []
  for (const { timing, lines } of readCues(normalized(text.replace(CONTROLS, '')))) {
    const [start, end] = [seconds(timing.slice(1, 5)), seconds(timing.slice(5, 9))]
    const { text: shown, line } = withoutOverrides(lines.join('\n'))
    const words = shown
      .split('\n')
      .map(cleanLine)
      .filter((one) => one.trim() !== '')
    if (end <= start || words.length === 0) continue
    const settings = (timing[9] ?? '').split(/\s+/).filter((one) => SETTING.test(one))
    if (line && !settings.some((one) => one.startsWith('line:'))) settings.push(line)
    cues.push({ start, text: `${[`${timeStamp(start)} --> ${timeStamp(end)}`, ...settings].join(' ')}\n${words.join('\n')}\n` })
  }
  cues.sort((a, b) => a.start - b.start)
  return { vtt: `WEBVTT\n\n${cues.map((cue) => cue.text).join('\n')}`, cues: cues.length }
}

interface Cue {
  timing: RegExpExecArray
  lines: string[]
}

/**
 * Returns a file's cues. Each line with times starts one, whatever precedes it: some SRT files have no lines between cues, have blanks on
 * these lines, or have empty lines in a cue's text. In WebVTT, an empty line ends the cue.
 */
function readCues(text: string): Cue[] {
  const plain = text.replace(/^\uFEFF/, '').replace(/(?<!\r)\r+\n|\r/g, '\n')
  const cues: Cue[] = []
  let isNumbered = false
  let open: Cue | undefined
  let before = ''
  for (const line of plain.split('\n')) {
    const timing = TIMING.exec(line)
    if (timing) {
      if (cues.length === 0) isNumbered = isNumber(before)
      if (open) open.lines = withoutName(open.lines, isNumbered)
      open = { timing, lines: [] }
      cues.push(open)
    } else if (line === '' && plain.startsWith('WEBVTT')) open = undefined
    else open?.lines.push(line)
    if (!isBlank(line)) before = line
  }
  if (open) open.lines = withoutName([...open.lines, ''], isNumbered)
  return cues
}

const isBlank = (line: string) => line.trim() === ''
const isNumber = (line: string) => /^[\s\p{Cf}]*\d+[\s\p{Cf}]*$/u.test(line)

/** Returns the lines between two lines with times, without the later cue's number (SRT) or identifier (WebVTT). */
function withoutName(lines: string[], isNumbered: boolean): string[] {
  const at = lines.findLastIndex((line) => !isBlank(line))
  const [last = '', previous = 'the line with times'] = [lines[at], lines[at - 1]]
  const isApart = isBlank(previous)
  const isName = at === lines.length - 1 ? isApart || (isNumbered && isNumber(last)) : isApart && isNumber(last)
  return isName ? lines.slice(0, at) : lines
}

/** Keeps tags that both formats support, removes others, and escapes the rest so that it contains no tag or arrow. */
function cleanLine(line: string): string {
  return line
    .split(TAGS)
    .map((part, at) => {
      if (at % 2 === 1) return KEPT_TAG.test(part) ? part : ''
      return part.replaceAll('-->', '→').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    })
    .join('')
}

function seconds([h = '0', m = '0', s = '0', fraction = '0']: string[]): number {
  return Number(h) * 3_600 + Number(m) * 60 + Number(`${s}.${fraction}`)
}

export interface CaptionsGiven {
  /** A file, or its text. */
  content: string | Uint8Array
  isAss?: boolean
  /** Maximum number of characters. Beyond it, nothing is converted. */
  most: number
}

/** WebVTT in UTF-8 with its number of cues, which may be 0, or why there is none. */
type ConvertedCaptions = { body: Uint8Array; cues: number } | { refused: 'not text' | 'too long' }

/** Converts a captions file to normalized WebVTT. Runs in a thread, because the largest file takes half a second (`convertCaptions`). */
export function captionsOf({ content, isAss = false, most }: CaptionsGiven): ConvertedCaptions {
  const given = typeof content === 'string' ? content : textOfFile(content)
  if (given === undefined) return { refused: 'not text' }
  const text = isAss ? assToSrt(given) : given
  if (text.length > most) return { refused: 'too long' }
  const { vtt, cues } = toWebVtt(text)
  // Escapes and full times make some longer. The draft of what is stored has the same limit.
  if (vtt.length > most) return { refused: 'too long' }
  return { body: new TextEncoder().encode(vtt), cues }
}

const FIELDS = 'Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text'
/** What follows a brace up to its first code is a comment. */
const BRACES = /\{[^{}\\]*(\\[^{}]*)?\}/g

/**
 * Converts the dialogue of an ASS or SSA file to SRT, with its override codes (`withoutOverrides`). Lines in several layers appear once.
 */
export function assToSrt(text: string): string {
  let format = formatOf(FIELDS)
  let isEvents = false
  const seen = new Set<string>()
  for (const line of text.split(/\r?\n/)) {
    const [kind = ''] = /^(?:\[|Format:|Dialogue:)/.exec(line) ?? []
    const rest = line.slice(kind.length).trimStart()
    if (kind === '[') isEvents = rest.startsWith('Events')
    else if (isEvents && kind === 'Format:') format = formatOf(rest)
    else if (isEvents && kind === 'Dialogue:') {
      const fields = rest.split(',')
      const fieldAt = (at: number) => fields[at]?.trim() ?? ''
      // The text is last, because it may contain commas.
      seen.add(`${fieldAt(format.start)} --> ${fieldAt(format.end)}\n${plainText(fields.slice(format.text).join(','))}\n`)
    }
  }
  return [...seen].map((cue, at) => `${at + 1}\n${cue}`).join('\n')
}

/** Returns the places of the fields of a dialogue. */
function formatOf(list: string): { start: number; end: number; text: number } {
  const names = list.split(',').map((name) => name.trim().toLowerCase())
  return { start: names.indexOf('start'), end: names.indexOf('end'), text: names.length - 1 }
}

/** ASS has no tags or entities: what looks like one is text. */
const plainText = (text: string) =>
  text
    .replace(BRACES, (_, codes: string | undefined) => (codes ? `{${codes}}` : ''))
    .replaceAll('\\N', '\n')
    .replace(/\\[nh]/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')

/** A block of ASS override codes, which many programs also write into SRT files: `{\an8}`, `{\i1}`. */
const BLOCK = /(\{\\[^{}]*\})/
const STYLES = ['b', 'i', 'u'] as const
type Style = (typeof STYLES)[number]
/** `\anN` counts like a numeric keypad; SSA's `\aN` counts in its own way. Captions are in the bottom row anyway. */
const ROWS: readonly [code: RegExp, line: string][] = [
  [/\\an[789]|\\a[567](?!\d)/, 'line:0'],
  [/\\an[456]|\\a(?:9|10|11)(?!\d)/, 'line:50%'],
]

/**
 * Removes override codes from a cue's text, and drawings, which are text between `\p1` and `\p0`. Bold, italic and underlined text gets
 * WebVTT tags. `line`: the WebVTT setting of its row, if not the bottom.
 */
function withoutOverrides(text: string): { text: string; line?: string } {
  if (!text.includes('{\\')) return { text }
  let shown = ''
  let open: Style[] = []
  let draws = false
  let line: string | undefined
  for (const part of text.split(BLOCK)) {
    if (!part.startsWith('{\\') || !part.endsWith('}')) {
      if (!draws) shown += part
      continue
    }
    line ??= ROWS.find(([code]) => code.test(part))?.[1]
    draws = stated(part, 'p') ?? draws
    const kept = /\\r/.test(part) ? [] : open
    const next = STYLES.filter((style) => stated(part, style) ?? kept.includes(style))
    // Spans can overlap in ASS, but not in WebVTT.
    if (next.join() !== open.join()) shown += closing(open) + next.map((style) => `<${style}>`).join('')
    open = next
  }
  return { text: `${shown.trimEnd()}${closing(open)}`.replace(/<([biu])><\/\1>/g, ''), ...(line && { line }) }
}

/** Returns whether a block switches something on or off. Undefined if it does neither. The last code counts. */
function stated(block: string, code: string): boolean | undefined {
  const last = [...block.matchAll(new RegExp(`\\\\${code}(\\d+)`, 'g'))].at(-1)
  return last && Number(last[1]) > 0
}

const closing = (open: readonly Style[]) =>
  open
    .map((style) => `</${style}>`)
    .toReversed()
    .join('')
