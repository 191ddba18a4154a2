import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { stopClock } from '../../../testing/clock.ts'
import { testDatabase } from '../../../testing/database.ts'
import { waitForLocks } from '../../../testing/lock-waits.ts'
import { makeAccount, makeKey, makeMember, makePlayable } from '../../../testing/make.ts'
import { databaseProxy } from '../../../testing/services/database-proxy.ts'
import { startWebProcess, startWebProcesses, type WebProcess } from '../../../testing/services/web-process.ts'
import { SERVICE } from '../../audit/content-access.ts'
import { addEnd, endPlayback, pruneEnds } from './ends.ts'
import { permittedUrl } from './media-permit.ts'

const { url: databaseUrl } = await testDatabase()
const put = await stopClock(undefined)
let processes: [WebProcess, WebProcess]
let ctx: AccountCtx
let videoId: string
let key: { id: string; value: string }
beforeAll(async () => {
  processes = (await startWebProcesses(2)) as [WebProcess, WebProcess]
  ctx = await makeAccount()
  videoId = await makePlayable(ctx, { poster: '1'.repeat(32) })
  key = await makeKey(ctx)
})

interface Token {
  token: string
  tokenId: string
}

async function issue(value = key.value, id = videoId): Promise<Token> {
  const url = `${processes[0].url}/v1/video/${id}/playback-token`
  const { data } = await (await fetch(url, { method: 'POST', headers: { 'x-service-key': value } })).json()
  return { token: data.token, tokenId: JSON.parse(String(Buffer.from(data.token.split('.')[1], 'base64url'))).jti }
}

/** Opens a session at the first process and returns its files by path, so that any process can be requested. */
async function open({ token }: Token) {
  const { data } = await (await fetch(`${processes[0].url}/v1/video/playback/manifest/${token}`)).json()
  const { pathname } = new URL(data.masterPlaylistUrl)
  const media = await (await fetch(`${processes[0].url}${pathname.replace('master', '360p')}`)).text()
  const keyUrl = new URL(/URI="([^"]+)"/.exec(media)?.[1] as string)
  const sibling = (file: string) => pathname.replace('master.m3u8', file)
  return { master: pathname, media: sibling('360p.m3u8'), key: keyUrl.pathname + keyUrl.search, session: sibling('session.json') }
}
type Session = Awaited<ReturnType<typeof open>>

/** Returns the response of each process to each URL of a session: 200, or the reason of the refusal. */
async function answers(session: Session, at: WebProcess[] = processes): Promise<unknown[]> {
  const all = at.flatMap((process) => Object.values(session).map((path) => fetch(process.url + path)))
  const results = (await Promise.all(all)).map(async (answer) => (answer.ok ? 200 : (await answer.json()).error.details?.reason))
  return [...new Set(await Promise.all(results))]
}
const ended = (session: Session, at?: WebProcess[]) => expect.poll(() => answers(session, at)).toEqual(['PLAYBACK_ENDED'])

describe('endPlayback', () => {
  it("of a video refuses its open sessions in every process, and no other video's", async () => {
    const other = await makePlayable(ctx)
    const [session, unconcerned] = [await open(await issue()), await open(await issue(key.value, other))]
    expect(await answers(session)).toEqual([200])
    await endPlayback(ctx, { videoId })
    await ended(session)
    expect(await answers(unconcerned)).toEqual([200])
    expect(await answers(await open(await issue()))).toEqual([200])
  })

  it("of a key refuses the sessions of its tokens, also once it is revoked, and no other key's", async () => {
    const other = await makeKey(ctx)
    const [session, unconcerned] = [await open(await issue()), await open(await issue(other.value))]
    await endPlayback(ctx, { keyId: key.id })
    await ended(session)
    expect(await answers(unconcerned)).toEqual([200])
    const open2 = await open(await issue(other.value))
    await db().apiKey.update({ where: { id: other.id }, data: { revokedAt: new Date() } })
    await endPlayback(ctx, { keyId: other.id })
    await ended(open2)
  })

  it('of one token refuses its sessions alone', async () => {
    const [token, neighbour] = [await issue(), await issue()]
    const [session, unconcerned] = [await open(token), await open(neighbour)]
    await logged(token.tokenId)
    await endPlayback(ctx, { tokenId: token.tokenId })
    await ended(session)
    expect(await answers(unconcerned)).toEqual([200])
  })

  it('keeps tokens valid as specified: one that has not expired opens another session', async () => {
    const token = await issue()
    const session = await open(token)
    await endPlayback(ctx, { videoId })
    await ended(session)
    expect(await answers(await open(token))).toEqual([200])
  })

  it('also ends sessions renewed since, which keep their opening', async () => {
    const session = await open(await issue())
    const { renewed } = await (await fetch(processes[0].url + session.session)).json()
    const { pathname } = new URL(renewed.masterPlaylistUrl)
    const later = { ...session, master: pathname, session: pathname.replace('master.m3u8', 'session.json') }
    expect(await answers(later)).toEqual([200])
    await endPlayback(ctx, { videoId })
    await ended(later)
  })

  it("does not affect pictures of the owner's pages", async () => {
    const { pathname } = new URL(permittedUrl(SERVICE, videoId, 'poster.jpg', 6))
    await endPlayback(ctx, { videoId })
    // The database has a poster without a file; a refusal would be 401.
    expect((await fetch(processes[0].url + pathname)).status).toBe(404)
  })

  it('applies in a process that starts afterwards, and in one without change notifications', async () => {
    const proxy = await databaseProxy(databaseUrl)
    const deaf = await startWebProcess({ settings: { DATABASE_URL: proxy.url } })
    const session = await open(await issue())
    expect(await answers(session, [deaf])).toEqual([200])
    proxy.silence()
    await endPlayback(ctx, { videoId })
    await ended(session, [deaf])
    await ended(session, [await startWebProcess()])
  })

  it('commits in the order of its numbers, so that no session carries a number above an end that it has not seen', async () => {
    const second = await makePlayable(ctx)
    let later: Promise<void> | undefined
    await db().$transaction(async (tx) => {
      await addEnd(tx, ctx.accountId, { videoId })
      later = endPlayback(ctx, { videoId: second })
      await waitForLocks(1)
    })
    await later
    const numberOf = async (id: string) => (await db().playbackEnd.findUniqueOrThrow({ where: { subject: `video:${id}` } })).number
    expect(await numberOf(second)).toBe((await numberOf(videoId)) + 1n)
  })

  it('records the actor in the audit log', async () => {
    await endPlayback(ctx, { keyId: key.id })
    const entry = await db().auditEntry.findFirst({ where: { accountId: ctx.accountId, action: 'playback.end' }, orderBy: { id: 'desc' } })
    expect(entry).toMatchObject({ subject: key.id, actor: ctx.actor.kind === 'user' ? ctx.actor.userId : '' })
  })

  it('refuses viewers, other accounts, and subjects that the account does not have', async () => {
    const { tokenId } = await issue()
    await logged(tokenId)
    const viewer = await makeMember(ctx, 'VIEWER')
    const stranger = await makeAccount()
    for (const what of [{ videoId }, { keyId: key.id }, { tokenId }]) {
      await expect(endPlayback(viewer, what)).rejects.toMatchObject({ code: 'FORBIDDEN' })
      await expect(endPlayback(stranger, what)).rejects.toMatchObject({ code: 'videoId' in what ? 'VIDEO_NOT_FOUND' : 'NOT_FOUND' })
    }
  })

  it('is deleted once no session can precede it, and not before', async () => {
    const mine = { where: { subject: `video:${videoId}` } }
    await endPlayback(ctx, { videoId })
    await put(new Date(Date.now() + 6.9 * 86_400_000))
    await pruneEnds()
    expect(await db().playbackEnd.count(mine)).toBe(1)
    await put(new Date(Date.now() + 7.1 * 86_400_000))
    await pruneEnds()
    expect(await db().playbackEnd.count(mine)).toBe(0)
    await put(undefined)
  })
})

/** The log is written within a second. */
const logged = (tokenId: string) => expect.poll(() => db().loggedRequest.count({ where: { tokenId } })).toBeGreaterThan(0)
