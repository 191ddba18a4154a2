import MiniSearch from 'minisearch'
import { ALIASES } from './aliases'
import type { Entry } from './entry'

export interface Result {
  href: string
  title: string
  page: string
  /** The text around the first word that was found; each piece says whether it was. */
  excerpt: { text: string; isFound: boolean }[]
}

const MOST_RESULTS = 20
const EXCERPT = 130

/** Searches the text of the docs. Words may be incomplete at their end, and longer ones may have a wrong letter. */
export class SearchIndex {
  private readonly index = new MiniSearch<Entry>({
    idField: 'href',
    fields: ['title', 'page', 'text', 'anchor', 'aliases'],
    extractField: (entry, field) => {
      // The fragment of an operation or an error is its name.
      if (field === 'anchor') return entry.href.split('#')[1] ?? ''
      return field === 'aliases' ? (ALIASES[entry.href] ?? '') : (entry[field as keyof Entry] as string)
    },
    storeFields: ['title', 'page', 'text'],
  })

  constructor(entries: Entry[]) {
    this.index.addAll(entries)
  }

  find(query: string): Result[] {
    const options = {
      boost: { aliases: 10, title: 5, anchor: 5, page: 2 },
      prefix: true,
      fuzzy: (word: string) => (word.length > 4 ? 0.2 : false),
    }
    const all = this.index.search(query, { ...options, combineWith: 'AND' })
    const found = all.length > 0 ? all : this.index.search(query, options)
    return found.slice(0, MOST_RESULTS).map(({ id, title, page, text, terms }) => ({
      href: String(id),
      title: String(title),
      page: String(page),
      excerpt: excerptOf(String(text), terms),
    }))
  }
}

/** Loads the text of the docs, once a page. */
export async function loadIndex(): Promise<SearchIndex> {
  const response = await fetch('/docs/search.json')
  if (!response.ok) throw new Error(`The search index was refused with status ${response.status}.`)
  return new SearchIndex(await response.json())
}

/** Returns the part of a text around the first of `terms`, with every term in it marked. */
export function excerptOf(text: string, terms: string[]): Result['excerpt'] {
  const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = new RegExp(`(${escaped.join('|')})`, 'gi')
  const at = terms.length > 0 ? Math.max(0, text.search(pattern)) : 0
  const from = at < EXCERPT / 2 ? 0 : text.indexOf(' ', at - EXCERPT / 3) + 1
  const part = text.slice(from, from + EXCERPT)
  const whole = `${from > 0 ? '… ' : ''}${part}${from + EXCERPT < text.length ? '…' : ''}`
  if (terms.length === 0) return [{ text: whole, isFound: false }]
  return whole
    .split(pattern)
    .map((piece, place) => ({ text: piece, isFound: place % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}
