import { expect, it } from 'vitest'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeMember } from '../../../testing/make.ts'
import { saveFilterInput } from './filter-schema.ts'
import { listFilters, removeFilter, saveFilter } from './saved-filters.ts'

await testDatabase()

const input = (name: string, query: string, shared = false) => saveFilterInput.parse({ name, query, shared })

it('a member sees their own filters and those of the team', async () => {
  const owner = await makeAccount()
  const viewer = await makeMember(owner, 'VIEWER')
  await saveFilter(owner, input('Failed', 'filter=FAILED', true))
  await saveFilter(owner, input('Mine', 'search=draft'))
  const own = await saveFilter(viewer, input('Physics', 'metadata[course]=physics-1&sort=newest'))
  expect((await listFilters(viewer)).map(({ name, shared }) => [name, shared])).toEqual([
    ['Failed', true],
    ['Physics', false],
  ])
  expect(own.query).toBe('metadata%5Bcourse%5D=physics-1')
  await expect(saveFilter(viewer, input('Failed', 'filter=PENDING', true))).rejects.toMatchObject({ code: 'FORBIDDEN' })
  const [team] = await listFilters(viewer)
  await expect(removeFilter(viewer, { filterId: team?.id ?? '' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await removeFilter(viewer, { filterId: own.id })
  await expect(removeFilter(owner, { filterId: own.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('a name is replaced in small and large letters alike, and goes with its member', async () => {
  const owner = await makeAccount()
  const member = await makeMember(owner, 'DEVELOPER')
  await saveFilter(member, input('Failed', 'filter=FAILED'))
  await saveFilter(member, input('FAILED', 'filter=FAILED&sort=title'))
  expect(await listFilters(member)).toMatchObject([{ name: 'FAILED', query: 'filter=FAILED&sort=title' }])
  await db().membership.delete({ where: { accountId_userId: { accountId: owner.accountId, userId: member.actor.userId } } })
  expect(await db().savedFilter.count({ where: { accountId: owner.accountId } })).toBe(0)
})

it.each(['', 'sort=newest', 'filter=NONE', 'from=yesterday'])('refuses to save “%s”, which filters nothing', (query) => {
  expect(saveFilterInput.safeParse({ name: 'Nothing', query, shared: false }).success).toBe(false)
})
