import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PAGES, titleOf } from '../pages.ts'
import { ALIASES } from './aliases.ts'
import type { Entry } from './entry.ts'
import { SearchIndex } from './search-index.ts'

const docs = join(import.meta.dirname, '../..')

/** Returns the guides as the search has them, apart from what their expressions show. */
function entriesOf(href: string): Entry[] {
  const source = readFileSync(join(docs, href.slice('/docs'.length), 'page.mdx'), 'utf8')
  const page = titleOf(href)
  const [lead = '', ...sections] = source.slice(source.indexOf('<Guide')).split('<Section id=')
  const plain = (text: string) => text.replace(/<\/?[A-Z]\w*[^<>]*>/g, ' ').replace(/\]\([^()]*\)/g, ' ')
  return [
    { href, title: page, page, text: plain(lead) },
    ...sections.map((section) => {
      const [, id = '', title = '', text = ''] = /^"([^"]+)" title="([^"]+)">([\s\S]*)$/.exec(section) ?? []
      return { href: `${href}#${id}`, title, page, text: plain(text) }
    }),
  ]
}

const OTHER = /\/docs\/(?:errors|changelog|reference)/
const errors = { href: '/docs/errors', title: 'Errors', page: 'Errors', text: 'Every error has a code.' }
const entries = [...PAGES.filter(({ href }) => !OTHER.test(href)).flatMap(({ href }) => entriesOf(href)), errors]
const index = new SearchIndex(entries)

describe('the search of the docs', () => {
  it.each(Object.entries(ALIASES).flatMap(([href, words]) => words.split(', ').map((word) => [word, href] as const)))(
    'finds for “%s” first %s',
    (word, href) => {
      expect(index.find(word)[0]?.href).toBe(href)
    },
  )
})
