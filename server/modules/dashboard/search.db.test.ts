import { beforeAll, expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey, makeVideo, makeViewer } from '../../testing/make.ts'
import { makeEndpoint } from '../../testing/make-endpoint.ts'
import { emit } from '../webhooks/endpoints/emit.ts'
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

it('find returns what a whole id names, of its own account alone', async () => {
  const { accountId } = ctx
  const videoId = await makeVideo(ctx, { title: 'Lesson' })
  const keyId = (await makeKey(ctx, { name: 'Site' })).id
  const { userId, email } = ctx.actor as { userId: string; email: string }
  const endpoint = await makeEndpoint(ctx, 'https://hooks.example.com/in')
  const event = (await emit(db(), accountId, 'wallet.refilled', { balance: '1', previousBalance: '0', credits: '1' })) as string
  const request = { operation: null, query: '', status: 404, checks: [], durationMs: 1, responseHeaders: {}, at: new Date() }
  await db().loggedRequest.create({
    data: { ...request, id: 'req_mine', accountId, method: 'GET', path: '/v1/vidoe', tokenId: 'tok_mine' },
  })
  const upload = { accountId, keyId, fields: { title: 'Raw' }, maxBytes: 1n, expiresAt: new Date() }
  await db().directUpload.create({ data: { ...upload, id: 'upl_done', videoId, state: 'completed', endedAt: new Date() } })
  await db().directUpload.create({ data: { ...upload, id: 'upl_open', videoId: 'vid_not_yet' } })
  await db().directUpload.create({ data: { ...upload, id: 'upl_again', videoId: 'vid_again', fields: { replaces: videoId } } })
  await db().collection.create({ data: { id: 'col_mine', accountId, name: 'Course' } })
  const link = { videoId, tokenHash: Buffer.from('hash'), name: '', createdBy: userId, unfurls: false, expiresAt: new Date() }
  await db().shareLink.create({ data: { ...link, id: 'shr_mine' } })
  await db().quotaRequest.create({ data: { id: 'qrq_mine', accountId, keyId, requestedQuota: 1, reason: 'More', requestedBy: userId } })
  await db().liveSession.create({ data: { id: '0-tok_live', accountId, videoId, beganAt: new Date(), seenAt: new Date() } })
  const viewer = await makeViewer(ctx, 'student-42')
  const source = { targetQuality: '720p', sourceKey: 'sources/vid_again', sourceBytes: 1n, sourceName: 'lesson.mp4' }
  await db().media.create({ data: { id: 'vid_again', videoId, accountId, ...source } })
  for (const [kind, id, name, on] of [
    ['media', 'vid_again', 'Media of Lesson', videoId],
    ['request', 'req_mine', 'GET /v1/vidoe', null],
    ['token', 'tok_mine', 'Playback token', null],
    ['token', 'tok_live', 'Playback session of Lesson', videoId],
    ['endpoint', endpoint.id, 'https://hooks.example.com/in', null],
    ['event', event, 'wallet.refilled', null],
    ['upload', 'upl_done', 'Lesson', videoId],
    ['upload', 'upl_open', 'Raw', null],
    ['upload', 'upl_again', 'Lesson', videoId],
    ['collection', 'col_mine', 'Course', null],
    ['link', 'shr_mine', 'Share link of Lesson', videoId],
    ['member', userId, email, null],
    ['quotaRequest', 'qrq_mine', 'Quota request for Site', keyId],
    ['viewer', viewer, 'Viewer', null],
  ] as const) {
    expect((await find(ctx, { text: id })).identified, id).toEqual({ kind, id, name, on })
    expect((await find(other, { text: id })).identified, id).toBeUndefined()
  }
  for (const text of [videoId, 'vid_none', 'pay_none', 'inv_none', 'abc_none', 'req', 'Lesson'])
    expect((await find(ctx, { text })).identified).toBeUndefined()
})

it('find returns the viewer with a whole ID of the customer, of its own account alone, and not to support staff', async () => {
  const id = await makeViewer(ctx, 'Pupil 7/ä')
  expect((await find(ctx, { text: 'Pupil 7/ä' })).identified).toEqual({ kind: 'viewer', id, name: 'Pupil 7/ä', on: null })
  for (const text of ['Pupil', 'pupil 7/ä']) expect((await find(ctx, { text })).identified).toBeUndefined()
  expect((await find(other, { text: 'Pupil 7/ä' })).identified).toBeUndefined()
  const support: AccountCtx = { ...ctx, actor: { kind: 'support', userId: 'usr_staff', email: 'help@example.com' } }
  expect((await find(support, { text: 'Pupil 7/ä' })).identified).toBeUndefined()
})
