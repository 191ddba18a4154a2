import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked } from 'marked'

/** The guides for operators in docs/, by the name of their file. */
export const GUIDES = `runbooks installing deploying upgrading backups monitoring database storage transcoding
  codecs scaling sign-in support billing secrets commands retention`.split(/\s+/)

/** A section of a guide. */
export interface GuideSection {
  id: string
  title: string
}

/** Returns the id of a heading, as GitHub forms it: the guides link to each other by these. */
const idOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/**
 * Returns a guide's link as the console serves it: other guides are pages of the console; other files of the repository have no page, and
 * are undefined.
 */
export function guideLink(href: string): string | undefined {
  if (/^https?:/.test(href) || href.startsWith('#')) return href
  const [, name = '', section = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return GUIDES.includes(name) ? `/operator/guides/${name}${section}` : undefined
}

const textOf = (name: string) => readFileSync(join(process.cwd(), 'docs', `${name}.md`), 'utf8')

/** Returns the title of a guide. */
export const guideTitle = (name: string) => /^# (.+)$/m.exec(textOf(name))?.[1] ?? name

/** Renders a guide of docs/ to HTML, without its title, and returns its sections. The text is part of the program and trusted. */
export function readGuide(name: string): { html: string; sections: GuideSection[] } {
  const sections: GuideSection[] = []
  let tables = 0
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        if (depth === 1) return ''
        const id = idOf(text)
        if (depth === 2) sections.push({ id, title: text })
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const to = guideLink(href)
        const inside = this.parser.parseInline(tokens)
        return to === undefined ? inside : `<a href="${to}">${inside}</a>`
      },
      // The keyboard must reach what scrolls.
      code({ text }) {
        return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`
      },
      table(token) {
        const row = (cells: string[]) => `<tr>${cells.join('')}</tr>`
        tables += 1
        const titled = token.header.some(({ text }) => text !== '')
        const heading = (text: string) => (text === '' ? '<td></td>' : `<th scope="col">${text}</th>`)
        const head = titled ? `<thead>${row(token.header.map((cell) => heading(this.parser.parseInline(cell.tokens))))}</thead>` : ''
        const body = token.rows.map((cells) => row(cells.map((cell) => `<td>${this.parser.parseInline(cell.tokens)}</td>`)))
        return `<div tabindex="0" role="region" aria-label="Table ${tables}"><table>${head}<tbody>${body.join('')}</tbody></table></div>\n`
      },
    },
  })
  const html = marked.parse(textOf(name), { async: false })
  return { html, sections }
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
