import { isValidElement, type ReactNode } from 'react'
import { Guide, Section } from '../../_parts/Guide'
import { titleOf } from '../../_parts/pages'
import { Snippet } from '../../_parts/Snippet'
import type { Entry } from '../../_parts/search/entry'

type Props = Record<string, unknown> & { children?: ReactNode }

const CLIENT = Symbol.for('react.client.reference')

/** Returns the page and its sections with their text. Code to paste, and what is marked `data-search="off"`, is left out. */
export async function entriesOf(page: ReactNode): Promise<Entry[]> {
  const entries: Entry[] = []
  await read(page, entries)
  return entries.map((entry) => ({ ...entry, title: tidy(entry.title), text: tidy(entry.text) }))
}

const tidy = (text: string) =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ ([.,:;])/g, '$1')
    .trim()

/** Adds the text of a node to the last entry. Components of the server are called, as React does; of others, the children are read. */
async function read(node: unknown, entries: Entry[]): Promise<void> {
  const last = entries.at(-1)
  if ((typeof node === 'string' || typeof node === 'number') && last) last.text += node
  else if (Array.isArray(node)) for (const one of node) await read(one, entries)
  else if (isValidElement<Props>(node)) await readElement(node.type, node.props, entries)
}

async function readElement(type: unknown, props: Props, entries: Entry[]): Promise<void> {
  if (type === Snippet || props['data-search'] === 'off' || props['aria-hidden'] === 'true' || type === 'pre') return
  if (type === Guide || type === Section) {
    const first = entries[0]
    const title = await textOf(props.title ?? titleOf(String(props.href)))
    const href = type === Guide ? String(props.href) : `${first?.href}#${props.id}`
    entries.push({ href, title, page: first?.title ?? title, text: type === Guide ? `${props.lead} ` : '' })
    // The text after a section belongs to it: the docs have none outside sections.
    return read(props.children, entries)
  }
  if (typeof type === 'function' && (type as { $$typeof?: symbol }).$$typeof !== CLIENT) return read(await type(props), entries)
  await read(props.children, entries)
  const last = entries.at(-1)
  if (last && typeof type === 'string' && !INLINE.has(type)) last.text += ' '
}

const INLINE = new Set(['a', 'b', 'code', 'em', 'i', 'small', 'strong'])

async function textOf(node: unknown): Promise<string> {
  const entries = [{ href: '', title: '', page: '', text: '' }]
  await read(node, entries)
  return entries[0]?.text ?? ''
}
