import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { piecesOf } from '../../../_ui/pieces.ts'
import { readChangelog } from './read-changelog.ts'

it('reads versions, kinds and items of several lines', () => {
  const text =
    '# Changelog\n\nText.\n\n## [1.1.0] - 2026-01-02\n\n### Added\n\n- One\n  and more.\n- Two\n\n### Fixed\n\n- Three\n\n## [1.0.0]\n'
  expect(readChangelog(text)).toEqual([
    {
      name: '1.1.0 - 2026-01-02',
      changes: [
        { kind: 'Added', items: ['One and more.', 'Two'] },
        { kind: 'Fixed', items: ['Three'] },
      ],
    },
    { name: '1.0.0', changes: [] },
  ])
})

it('finds code and the text of links', () => {
  const code = (text: string) => ({ text, isCode: true })
  const plain = (text: string) => ({ text, isCode: false })
  expect(piecesOf('`GET` of [a page](docs/page.md), and `PUT`')).toEqual([code('GET'), plain(' of a page, and '), code('PUT')])
})

it('reads every item of the changelog of this service', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../CHANGELOG.md'), 'utf8')
  const items = readChangelog(text).flatMap(({ changes }) => changes.flatMap(({ items }) => items))
  expect(items.length).toBe(text.match(/^- /gm)?.length)
})
