import { expect, it } from 'vitest'
import { GUIDES, guideLink, readGuide } from './read-guide'

it('renders each guide with its sections, and links that lead somewhere', () => {
  const guides = GUIDES.map((name) => ({ name, ...readGuide(name) }))
  const ids = new Set(
    guides.flatMap(({ name, html }) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `/operator/guides/${name}#${id}`)),
  )
  for (const { name, html, sections } of guides) {
    expect(sections.length).toBeGreaterThan(2)
    expect(html).not.toMatch(/\.md[)#"]/)
    const links = [...html.matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) =>
      href.startsWith('#') ? `/operator/guides/${name}${href}` : href,
    )
    expect(links.filter((href) => href.includes('#') && href.startsWith('/') && !ids.has(href))).toEqual([])
  }
})

it('keeps links to other guides and hosts, and drops those to files without a page', () => {
  expect(guideLink('storage.md#object-storage')).toBe('/operator/guides/storage#object-storage')
  expect(guideLink('https://example.com/')).toBe('https://example.com/')
  expect(guideLink('decisions/README.md')).toBeUndefined()
})
