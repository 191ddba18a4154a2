/** Hours may be missing (WebVTT) and fractions may follow a comma (SRT). */
const TIMING = /^\s*(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})\s*-->\s*(?:(\d{1,3}):)?([0-5]?\d):([0-5]?\d)[.,](\d{1,3})(.*)$/
const SETTING =
  /^(?:vertical:(?:rl|lr)|line:-?[\d.]+%?(?:,\w+)?|position:[\d.]+%(?:,[\w-]+)?|size:[\d.]+%|align:(?:start|center|end|left|right))$/

/**
 * Converts a WebVTT or SRT file to normalized WebVTT: cues alone, in order of time, without styles, regions and notes. Omits
 * everything else; a file without cues returns `cues` 0. Not a library: the output must hold listed syntax alone,
 * which parsers for players do not ensure.
 */
export function toWebVtt(text: string): { vtt: string; cues: number } {
  const cues: { start: number; text: string }[] = []
  const blocks = text
    .normalize()
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '\uFFFD')
    .split(/\n{2,}/)
  for (const block of blocks) {
    const lines = block.split('\n')
    const at = lines.findIndex((line) => TIMING.test(line))
    const timing = TIMING.exec(lines[at] ?? '')
    // In SRT the number precedes the timing, in WebVTT an optional identifier; both are removed.
    if (!timing || at > 1) continue
    const [start, end] = [seconds(timing.slice(1, 5)), seconds(timing.slice(5, 9))]
    const words = lines
      .slice(at + 1)
      .map(cleanLine)
      .filter((line) => line.trim() !== '')
    if (end <= start || words.length === 0) continue
    const settings = (timing[9] ?? '').split(/\s+/).filter((one) => SETTING.test(one))
    cues.push({ start, text: `${[`${stamp(start)} --> ${stamp(end)}`, ...settings].join(' ')}\n${words.join('\n')}\n` })
  }
  cues.sort((a, b) => a.start - b.start)
  return { vtt: `WEBVTT\n\n${cues.map((cue) => cue.text).join('\n')}`, cues: cues.length }
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
