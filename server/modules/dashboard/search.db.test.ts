import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../testing/make.ts'
import { find } from './search.ts'

await testDatabase()

let ctx: AccountCtx
let other: AccountCtx
beforeAll(async () => {
  ctx = await makeAccount()
  other = await makeAccount()
  for (const one of [ctx, other])
    await Promise.all([
      makeVideo(one, { title: 'Summer 100% sun' }),
      makeVideo(one, { title: 'Winter' }),
      makeKey(one, { name: 'Summer shop' }),
      makeKey(one, { name: 'Backend', environment: 'TEST' }),
    ])
  await makeVideo(ctx, { title: 'Summer, deleted', deletedAt: new Date() })
})

const names = async (text: string) => {
  const { videos, keys } = await find(ctx, { text })
  return [...videos.map(({ title }) => title), ...keys.map(({ name }) => name)]
}

it.each([
  ['a part of a title or name, in any case', 'SUMMER', ['Summer 100% sun', 'Summer shop']],
  ['characters that LIKE would take for anything', '100% s', ['Summer 100% sun']],
  ['what begins all prefixes of test keys', 'ak_test_', ['Backend']],
  ['nothing that is not there', '%', ['Summer 100% sun']],
  ['no single letter by another', 'Wint_r', []],
])('find returns %s', async (_, text, expected) => {
  expect(await names(text)).toEqual(expected)
})

it('find returns ids and prefixes of its own account, not those of another', async () => {
  for (const one of [ctx, other]) {
    const { videos, keys } = await find(one, { text: 'Summer' })
    const expected = one === ctx ? 1 : 0
    expect((await find(ctx, { text: videos[0]?.id as string })).videos).toHaveLength(expected)
    expect((await find(ctx, { text: keys[0]?.id as string })).keys).toHaveLength(expected)
    expect((await find(ctx, { text: keys[0]?.prefix as string })).keys).toHaveLength(expected)
  }
})

it('find returns at most one page of each kind, without values and hashes', async () => {
  const many = await makeAccount()
  for (let at = 0; at < 9; at++) await Promise.all([makeVideo(many, { title: `Clip ${at}` }), makeKey(many, { name: `Clip ${at}` })])
  const found = await find(many, { text: 'clip' })
  expect([found.videos.length, found.keys.length]).toEqual([6, 6])
  expect(Object.keys(found.keys[0] ?? {}).sort()).toEqual(['environment', 'id', 'name', 'prefix'])
})
