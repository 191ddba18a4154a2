import { parseSync } from 'oxc-parser'
import type { Sources } from './imports.ts'

/** A regular expression in the project's own source text. */
export interface Pattern {
  /** Its location, as `path:line`. */
  place: string
  expression: RegExp
}

/**
 * Returns every regular expression in the sources: literals, and `new RegExp(…)` of a text or a template, whose placeholders are filled
 * with a word. Throws on one built in another way, since it could not be checked.
 */
export function readPatterns(sources: Sources): Pattern[] {
  return [...sources].flatMap(([path, text]) => {
    const found: Pattern[] = []
    const add = (start: number, source: string, flags: string) =>
      found.push({ place: `${path}:${text.slice(0, start).split('\n').length}`, expression: new RegExp(source, flags) })
    visit(parseSync(path, text).program, (node) => {
      if (node.regex) add(node.start, node.regex.pattern, node.regex.flags)
      if (/^(New|Call)Expression$/.test(node.type) && node.callee?.name === 'RegExp') {
        const [source, flags] = node.arguments ?? []
        const written = source?.type === 'TemplateLiteral' ? source.quasis?.map(({ value }) => value.cooked).join('word') : source?.value
        if (typeof written !== 'string') throw new Error(`${path} builds a regular expression that cannot be read from its source`)
        add(node.start, written, String(flags?.value ?? ''))
      }
    })
    return found
  })
}

interface Syntax {
  type: string
  start: number
  regex?: { pattern: string; flags: string }
  callee?: { name?: string }
  arguments?: Syntax[]
  value?: unknown
  quasis?: { value: { cooked: string } }[]
}

function visit(node: unknown, enter: (node: Syntax) => void): void {
  if (Array.isArray(node)) for (const item of node) visit(item, enter)
  else if (node && typeof node === 'object' && !(node instanceof RegExp)) {
    if ('type' in node) enter(node as Syntax)
    for (const value of Object.values(node)) if (value && typeof value === 'object') visit(value, enter)
  }
}
