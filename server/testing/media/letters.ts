import { beforeAll, describe, expect, test } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { findAccounts } from '../../modules/backoffice/support/find.ts'
import { requireStaff } from '../../modules/backoffice/support/staff.ts'
import { listFilters, saveFilter } from '../../modules/dashboard/library/saved-filters.ts'
import { listForDashboard } from '../../modules/dashboard/list-videos.ts'
import { find } from '../../modules/dashboard/search.ts'
import { allCollections, createCollection, listCollections } from '../../modules/videos/collections/collections.ts'
import { listFilteredVideos } from '../../modules/videos/list/filter-list.ts'
import { db } from '../../platform/database/database.ts'
import { makeAccount, makeKey, makeVideo } from '../make.ts'
import { makeStaff } from '../staff.ts'

/** A name, and the same in other letter case. */
const SAME: [string, string][] = [
  ['Übungen', 'übungen'],
  ['Привет, мир', 'ПРИВЕТ, МИР'],
  ['École', 'éCOLE'],
  ['Straße', 'STRASSE'],
  ['Οδός', 'ΟΔΌΣ'],
  ['Οδυσσέας', 'ΟΔΥΣΣΈΑΣ'],
  ['Երևան', 'ԵՐԵՒԱՆ'],
  ['Title INDEX', 'title index'],
]

/** Titles in dictionary order, not in byte order. */
const ORDER = ['Äpfel', 'apfelmus', 'École', 'eis', 'Übungen', 'Zebra', 'Привет']

/** Registers the tests about letters, for the calling file's database. */
export function testLetters(): void {
  let owner: AccountCtx
  beforeAll(async () => {
    owner = await makeAccount()
    for (const [name] of SAME) {
      await makeVideo(owner, { title: `1. ${name} 100%` })
      await makeKey(owner, { name: `1. ${name} 100%` })
    }
  })

  describe.each(SAME)('“%s” and “%s”', (name, same) => {
    // From its second letter: a part of a word as well.
    test.each([name, same, `. ${same}`, [...same].slice(1, -1).join('')])('a search for “%s” finds the first', async (text) => {
      const title = `1. ${name} 100%`
      expect((await listFilteredVideos(owner, { q: text })).videos.map((one) => one.title)).toContain(title)
      expect((await listForDashboard(owner, { search: text })).videos.map((one) => one.title)).toContain(title)
      const { videos, keys } = await find(owner, { text })
      expect([videos.map((one) => one.title), keys.map((one) => one.name)]).toEqual([
        expect.arrayContaining([title]),
        expect.arrayContaining([title]),
      ])
    })

    test('are one name of a collection, and of a saved filter', async () => {
      const ctx = await makeAccount()
      await createCollection(ctx, { name })
      await expect(createCollection(ctx, { name: same })).rejects.toMatchObject({ code: 'COLLECTION_NAME_IN_USE' })
      for (const one of [name, same]) await saveFilter(ctx, { name: one, query: 'sort=title', shared: false })
      expect((await listFilters(ctx)).map((one) => one.name)).toEqual([same])
    })

    test('are one name of an account for support', async () => {
      const staff = await makeAccount()
      await makeStaff(staff)
      await db().account.update({ where: { id: staff.accountId }, data: { name: `${name} GmbH` } })
      const { found } = await findAccounts(await requireStaff(staff, 'req_test'), { text: same })
      expect(found.map(({ accountId }) => accountId)).toContain(staff.accountId)
    })
  })

  test('names are listed as in a dictionary, page after page', async () => {
    const ctx = await makeAccount()
    for (const name of ORDER.toReversed()) {
      await createCollection(ctx, { name })
      await makeVideo(ctx, { title: name })
      await saveFilter(ctx, { name, query: 'sort=title', shared: false })
    }
    expect((await allCollections(ctx)).map(({ name }) => name)).toEqual(ORDER)
    expect((await listForDashboard(ctx, { sort: 'title' })).videos.map(({ title }) => title)).toEqual(ORDER)
    expect((await listFilters(ctx)).map(({ name }) => name)).toEqual(ORDER)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { collections, pagination } = await listCollections(ctx, { limit: 2, cursor })
      seen.push(...collections.map(({ name }) => name))
      cursor = pagination.nextCursor ?? undefined
    } while (cursor)
    expect(seen).toEqual(ORDER)
  })

  test('pages of titles go on where letters differ in case and accent alone', async () => {
    const ctx = await makeAccount()
    const titles = Array.from({ length: 120 }, (_, at) => ['übung', 'Übung', 'ubung', 'Ubung'][at % 4] as string)
    for (const title of titles) await makeVideo(ctx, { title })
    const seen = new Set<string>()
    let cursor: string | undefined
    do {
      const page = await listForDashboard(ctx, { sort: 'title', cursor })
      for (const { id } of page.videos) seen.add(id)
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(seen.size).toBe(120)
  })
}
