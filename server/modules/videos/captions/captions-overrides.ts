/** A block of override codes of ASS, which SRT files of many programs contain as well: `{\an8}`, `{\i1}`. */
const BLOCK = /(\{\\[^{}]*\})/
const STYLES = ['b', 'i', 'u'] as const
type Style = (typeof STYLES)[number]
/** `\anN` counts as the keys of a numeric keypad do, `\aN` of SSA in its own way. The bottom row is where captions are anyway. */
const ROWS: readonly [code: RegExp, line: string][] = [
  [/\\an[789]|\\a[567](?!\d)/, 'line:0'],
  [/\\an[456]|\\a(?:9|10|11)(?!\d)/, 'line:50%'],
]

/**
 * Removes override codes from a cue's text, and drawings, which are text between `\p1` and `\p0`. Bold, italic and underlined text gets the
 * tags of WebVTT. `line`: the WebVTT setting of its row, where that is not the bottom.
 */
export function withoutOverrides(text: string): { text: string; line?: string } {
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
    // Spans may overlap in ASS and not in WebVTT.
    if (next.join() !== open.join()) shown += closing(open) + next.map((style) => `<${style}>`).join('')
    open = next
  }
  return { text: `${shown.trimEnd()}${closing(open)}`.replace(/<([biu])><\/\1>/g, ''), ...(line && { line }) }
}

/** Returns whether a block switches something on or off; undefined when it does neither. The last code counts. */
function stated(block: string, code: string): boolean | undefined {
  const last = [...block.matchAll(new RegExp(`\\\\${code}(\\d+)`, 'g'))].at(-1)
  return last && Number(last[1]) > 0
}

const closing = (open: readonly Style[]) =>
  open
    .map((style) => `</${style}>`)
    .toReversed()
    .join('')
