import { normalized } from '../../../platform/text/schema.ts'
import { withoutOverrides } from './captions-overrides.ts'

/** Hours may be missing (WebVTT), fractions may follow a comma (SRT) or be missing too. */
const TIMING =
  /^\s*(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)(?:[.,](\d{1,3}))?\s*-->\s*(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)(?:[.,](\d{1,3}))?(?!\d)(.*)$/
const SETTING =
  /^(?:vertical:(?:rl|lr)|line:-?[\d.]+%?(?:,\w+)?|position:[\d.]+%(?:,[\w-]+)?|size:[\d.]+%|align:(?:start|center|end|left|right))$/

/**
 * Converts a WebVTT or SRT file to normalized WebVTT: cues alone, in order of time, without styles, regions and notes. Omits
 * everything else; a file without cues returns `cues` 0. Takes time in proportion to the text. Not a library: the output must hold
 * listed syntax alone, which parsers for players do not ensure.
 */
export function toWebVtt(text: string): { vtt: string; cues: number } {
  const cues: { start: number; text: string }[] = []
  for (const { timing, lines } of readCues(normalized(text))) {
    const [start, end] = [seconds(timing.slice(1, 5)), seconds(timing.slice(5, 9))]
    const { text: shown, line } = withoutOverrides(lines.join('\n'))
    const words = shown
      .split('\n')
      .map(cleanLine)
      .filter((one) => one.trim() !== '')
    if (end <= start || words.length === 0) continue
    const settings = (timing[9] ?? '').split(/\s+/).filter((one) => SETTING.test(one))
    if (line && !settings.some((one) => one.startsWith('line:'))) settings.push(line)
    cues.push({ start, text: `${[`${stamp(start)} --> ${stamp(end)}`, ...settings].join(' ')}\n${words.join('\n')}\n` })
  }
  cues.sort((a, b) => a.start - b.start)
  return { vtt: `WEBVTT\n\n${cues.map((cue) => cue.text).join('\n')}`, cues: cues.length }
}

interface Cue {
  timing: RegExpExecArray
  lines: string[]
}

/**
 * Returns the cues of a file. Each line with times begins one, whatever precedes it: there are SRT files without lines between cues, with blanks
 * on these lines, and with empty lines in the text of a cue. In WebVTT an empty line ends the cue.
 */
function readCues(text: string): Cue[] {
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(/(?<!\r)\r+\n|\r/g, '\n')
    .replaceAll('\0', '\uFFFD')
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

interface Cue {
  timing: RegExpExecArray
  lines: string[]
}

const isBlank = (line: string) => line.trim() === ''
const isNumber = (line: string) => /^\s*\d+\s*$/.test(line)

/** Returns the lines between two lines with times without the number (SRT) or identifier (WebVTT) of the later cue. */
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
    .split(/(<\/?[a-z\d][^<>]*>)/i)
    .map((part) => {
      if (/^<\/?(?:[biu]|c(?:\.[\w.-]+)?|ruby|rt|v(?:\s[^<>&]*)?|lang(?:\s[\w-]+)?|[\d:.]+)>$/i.test(part)) return part
      if (/^<\/?[a-z\d][^<>]*>$/i.test(part)) return ''
      return part.replaceAll('-->', '→').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    })
    .join('')
}

function seconds([h = '0', m = '0', s = '0', fraction = '0']: string[]): number {
  return Number(h) * 3_600 + Number(m) * 60 + Number(s) + Number(fraction.padEnd(3, '0')) / 1_000
}

function stamp(value: number): string {
  const ms = Math.round(value * 1_000)
  const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}.${String(ms % 1_000).padStart(3, '0')}`
}
