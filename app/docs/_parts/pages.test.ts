import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PAGES, titleOf } from './pages.ts'

const guides = PAGES.flatMap(({ href }) => {
  const file = join(import.meta.dirname, '..', href.slice('/docs'.length), 'page.mdx')
  return existsSync(file) ? [{ href, source: readFileSync(file, 'utf8') }] : []
})

describe('the guides', () => {
  it('are found', () => {
    expect(guides.length).toBeGreaterThan(20)
  })

  it.each(guides)('$href has its title, one outcome, prerequisites, and next steps that exist', ({ href, source }) => {
    expect(source).toContain(`metadata = { title: '${titleOf(href)}' }`)
    expect(source).toMatch(/<Guide\n {2}href="(\/docs[\w/-]*)"\n {2}lead=["{]/)
    expect(source).toMatch(/\n<Needs[ >]/)
    const [, next = ''] = /\n {2}next=\{\{\n([^}]+)\}\}/.exec(source) ?? []
    const steps = [...next.matchAll(/^ {4}'([^'#]+)(?:#[\w-]+)?': '/gm)].map(([, page = '']) => page)
    expect(steps.length).toBeGreaterThan(1)
    for (const step of steps) expect(titleOf(step), step).not.toBe('')
  })
})
