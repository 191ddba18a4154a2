import { beforeEach, expect, it, onTestFinished } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { makeAccount, makePlayable, makeVideo } from '../../../testing/make.ts'
import { stopServiceNow } from '../../../testing/service-now.ts'
import { removeVideo, restoreVideo } from '../../videos/remove.ts'
import { createShareLink, listShareLinks, revokeShareLink } from './links.ts'
import { findShared, openShareLink } from './open-link.ts'
import { type CreateShareInput, MAX_SHARE_LINKS } from './schema.ts'

await testDatabase()
const base = await startHttpServer()

let owner: AccountCtx
let videoId: string
beforeEach(async () => {
  owner = await makeAccount()
  videoId = await makePlayable(owner, { title: 'Harbour at dawn' })
})

/** Each viewer has an address of its own, so that no test uses up the limit of another one. */
let viewers = 0
const viewer = () => ({ address: `2001:db8::${++viewers}` })
const share = async (input: Partial<CreateShareInput> = {}) => {
  const { id, url } = await createShareLink(owner, { videoId, name: 'Review', expiresInHours: 1, maxViews: null, unfurls: false, ...input })
  return { id, token: url.split('/').at(-1) as string }
}
const open = async (token: string) => {
  const answer = await openShareLink(viewer(), token)
  if ('refused' in answer) throw new Error(answer.refused)
  return new URL(answer.playerUrl).searchParams.get('token') as string
}
const exchange = async (token: string, exchangeId?: string) => {
  const answer = await fetch(`${base}/v1/video/playback/manifest/${token}${exchangeId ? `?exchangeId=${exchangeId}` : ''}`)
  const { data, error } = await answer.json()
  return { status: answer.status, data, error }
}
/** Returns the reason of a refusal, or `served`. */
const playlist = async (url: string) => {
  const answer = await fetch(url)
  return answer.ok ? 'served' : ((await answer.json()).error.details?.reason ?? answer.status)
}
const expire = (id: string) => db().shareLink.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1_000) } })

it('a link plays its video without an API key, and counts views that begin, not visits', async () => {
  const { id, token } = await share()
  expect(await findShared(viewer(), token)).toEqual({ title: 'Harbour at dawn', durationSec: 20, posterUrl: null, unfurls: false })
  const { status, data } = await exchange(await open(token))
  expect(status).toBe(200)
  expect(await playlist(data.masterPlaylistUrl)).toBe('served')
  const [link] = await listShareLinks(owner, { videoId })
  expect(link).toMatchObject({ id, name: 'Review', state: 'active', views: 1, createdBy: (owner.actor as { email: string }).email })
  expect(await db().keyDay.count({ where: { key: { accountId: owner.accountId } } })).toBe(0)
})

it('the database holds the token of a link as a hash alone', async () => {
  const { id, token } = await share()
  const row = await db().shareLink.findUniqueOrThrow({ where: { id } })
  const audit = await db().auditEntry.findMany({ where: { subject: id } })
  expect(row.tokenHash).toHaveLength(32)
  expect(JSON.stringify([{ ...row, tokenHash: Buffer.from(row.tokenHash).toString() }, audit.map(({ after }) => after)])).not.toContain(
    token,
  )
  expect(audit.map(({ action }) => action)).toEqual(['share.create'])
})

it('a revocation ends open sessions, tokens that are not exchanged yet, and the link at once', async () => {
  const [kept, { id, token }] = [await share(), await share()]
  const [one, other] = [await open(token), await open(token)]
  const { data } = await exchange(one)
  const stays = (await exchange(await open(kept.token))).data.masterPlaylistUrl
  expect(await playlist(data.masterPlaylistUrl)).toBe('served')
  await revokeShareLink(owner, { linkId: id })
  expect(await playlist(data.masterPlaylistUrl)).toBe('PLAYBACK_ENDED')
  expect(await playlist(data.masterPlaylistUrl.replace('master.m3u8', 'session.json'))).toBe('PLAYBACK_ENDED')
  for (const late of [one, other]) expect((await exchange(late)).error).toMatchObject({ details: { reason: 'PLAYBACK_ENDED' } })
  expect(await openShareLink(viewer(), token)).toEqual({ refused: 'revoked' })
  // Other links of the video play on.
  expect(await playlist(stays)).toBe('served')
  await revokeShareLink(owner, { linkId: id })
  expect(await db().auditEntry.count({ where: { subject: id, action: 'share.revoke' } })).toBe(1)
})

it('sessions of a link end with it', async () => {
  const { id, token } = await share()
  const expiresAt = new Date(Date.now() + 60_000)
  await db().shareLink.update({ where: { id }, data: { expiresAt } })
  const { data } = await exchange(await open(token))
  expect(new Date(data.sessionExpiresAt).getTime()).toBeLessThanOrEqual(expiresAt.getTime())
  expect(await playlist(data.masterPlaylistUrl)).toBe('served')
  stopServiceNow(expiresAt.getTime() + 500)
  onTestFinished(() => stopServiceNow(undefined))
  expect(await playlist(data.masterPlaylistUrl)).toBe('PLAYBACK_ENDED')
  expect(await openShareLink(viewer(), token)).toEqual({ refused: 'expired' })
})

it('no more views begin than a link permits when the last ones are counted at the same time', async () => {
  const { id, token } = await share({ maxViews: 3 })
  await db().shareLink.update({ where: { id }, data: { views: 2 } })
  let opened: ReturnType<typeof openShareLink>[] = []
  await db().$transaction(
    async (tx) => {
      // Both have read the link, whose last view is free, and wait to count theirs.
      await tx.$queryRaw`SELECT 1 FROM share_link WHERE id = ${id} FOR UPDATE`
      opened = [1, 2].map(() => openShareLink(viewer(), token))
      const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      await expect.poll(async () => (await query<{ n: number }>('test-waiting', waiting, []))[0]?.n).toBe(2)
    },
    { timeout: 180_000 },
  )
  const answers = await Promise.all(opened)
  expect(answers.map((answer) => ('refused' in answer ? answer.refused : 'opened')).sort()).toEqual(['opened', 'used'])
})

it('no more views begin than a link permits, however many viewers come at the same time', async () => {
  const { id, token } = await share({ maxViews: 3 })
  const answers = await Promise.all(Array.from({ length: 12 }, () => openShareLink(viewer(), token)))
  expect(answers.filter((answer) => 'playerUrl' in answer)).toHaveLength(3)
  expect(answers.filter((answer) => 'refused' in answer && answer.refused === 'used')).toHaveLength(9)
  expect(await db().shareLink.findUniqueOrThrow({ where: { id } })).toMatchObject({ views: 3 })
})

it('a view opens one session, however often its token is exchanged, and by whomever', async () => {
  const { token } = await share({ maxViews: 1 })
  const playback = await open(token)
  // A probe opens none.
  expect((await fetch(`${base}/v1/video/playback/manifest/${playback}`, { method: 'HEAD' })).status).toBe(200)
  const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => exchange(playback, at % 2 ? `page-${at}` : undefined)))
  const [opened, ...others] = answers.filter(({ status }) => status === 200)
  expect(others).toEqual([])
  expect(await playlist(opened?.data.masterPlaylistUrl)).toBe('served')
  for (const { error } of answers.filter((answer) => answer !== opened))
    expect(error).toMatchObject({ code: 'PLAYBACK_TOKEN_EXPIRED', details: { reason: 'ALREADY_EXCHANGED' } })
  expect(await openShareLink(viewer(), token)).toEqual({ refused: 'used' })
})

it('a page repeats its own exchange after a lost response; a refused one uses nothing up', async () => {
  const playback = await open((await share({ maxViews: 1 })).token)
  await db().video.update({ where: { id: videoId }, data: { takenDownAt: new Date() } })
  await expect.poll(async () => (await exchange(playback, 'page')).status).toBe(404)
  await db().video.update({ where: { id: videoId }, data: { takenDownAt: null } })
  await expect.poll(async () => (await exchange(playback, 'page')).status).toBe(200)
  expect((await exchange(playback, 'page')).status).toBe(200)
  for (const other of ['another', undefined]) expect((await exchange(playback, other)).status).toBe(401)
})

it('forgets exchanges whose tokens have expired', async () => {
  await query('', `INSERT INTO link_exchange (token_id, at) VALUES ('lnk_old', service_now() - interval '11 minutes')`, [])
  expect((await exchange(await open((await share()).token))).status).toBe(200)
  expect(await db().linkExchange.count({ where: { tokenId: 'lnk_old' } })).toBe(0)
})

it('refuses a link of a deleted video, and opens it again after its restoration', async () => {
  const { token } = await share()
  await removeVideo(owner, { videoId })
  expect(await findShared(viewer(), token)).toEqual({ refused: 'unavailable' })
  await restoreVideo(owner, { videoId })
  await expect.poll(() => findShared(viewer(), token)).toMatchObject({ title: 'Harbour at dawn' })
})

it('says what is wrong with a link', async () => {
  const { id, token } = await share()
  await expire(id)
  expect(await findShared(viewer(), token)).toEqual({ refused: 'expired' })
  for (const unknown of ['', 'x'.repeat(22), `${token}x`, '../../etc/passwd', '%00']) {
    expect(await openShareLink(viewer(), unknown)).toEqual({ refused: 'unknown' })
  }
  videoId = await makeVideo(owner, { status: 'PROCESSING' })
  expect(await findShared(viewer(), (await share()).token)).toEqual({ refused: 'processing' })
})

it('limits the views and the visits of one address', async () => {
  const { token } = await share()
  const client = viewer()
  const begin = async () => {
    for (let views = 0; views < 100; views++) await openShareLink(client, token)
  }
  await expect(begin()).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS', extras: { retryAfter: expect.any(Number) } })
  const visit = async () => {
    for (let visits = 0; visits < 500; visits++) await findShared(client, 'x'.repeat(22))
  }
  await expect(visit()).rejects.toMatchObject({ code: 'TOO_MANY_ATTEMPTS' })
  expect(await findShared(viewer(), token)).toMatchObject({ title: 'Harbour at dawn' })
})

it('a video has a limited number of links that can be used', async () => {
  const row = { videoId, name: '', createdBy: 'test', expiresAt: new Date(Date.now() + 3_600_000), unfurls: false }
  await db().shareLink.createMany({
    data: Array.from({ length: MAX_SHARE_LINKS }, (_, n) => ({
      ...row,
      id: `shr_${videoId}${n}`,
      tokenHash: Buffer.from(`${videoId}${n}`),
    })),
  })
  await expect(share()).rejects.toMatchObject({ code: 'CONFLICT' })
  await expire(`shr_${videoId}0`)
  await expect(share()).resolves.toBeDefined()
  await expect(share()).rejects.toMatchObject({ code: 'CONFLICT' })
  const limit = (maxViews: number) => db().shareLink.update({ where: { id: `shr_${videoId}1` }, data: { maxViews, views: 2 } })
  await limit(3)
  await expect(share()).rejects.toMatchObject({ code: 'CONFLICT' })
  // All of its views have begun.
  await limit(2)
  await expect(share()).resolves.toBeDefined()
})
