import { describe, expect, it, vi } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { NotificationListener } from '../../../platform/database/notifications.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { cookieFor } from '../../../testing/sign-in.ts'
import { watchRequests } from '../../analytics/requests/request-log.ts'
import { watchVideos } from '../../dashboard/watch-videos.ts'
import { watchWebhooks } from '../../webhooks/endpoints/stream.ts'
import { sessionFromCookies } from './session.ts'
import { reserveStream } from './watch-account.ts'

await testDatabase()

type Watch = (ctx: AccountCtx, signal: AbortSignal) => AsyncGenerator<unknown>

describe.each<[string, Watch]>([
  ['videos', watchVideos],
  ['requests', watchRequests],
  ['webhooks', watchWebhooks],
])('watchAccount for %s', (_name, watch) => {
  it('yields nothing while notifications are off, since the data may change unnoticed', async () => {
    let looks = 0
    const live = vi.spyOn(NotificationListener.prototype, 'live', 'get').mockImplementation(() => ++looks > 1)
    const end = new AbortController()
    await watch(await makeAccount(), end.signal).next()
    live.mockRestore()
    expect(looks).toBe(2)
    end.abort()
  })

  it('yields resync once notifications are on again, and not before', async () => {
    const end = new AbortController()
    const events = watch(await makeAccount(), end.signal)
    const first = await events.next()
    let looks = 0
    let back = false
    const live = vi.spyOn(NotificationListener.prototype, 'live', 'get').mockImplementation(() => ++looks > 0 && back)
    const next = events.next().then((event) => ({ event, back }))
    await db().$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'reelgate listener'`
    await expect.poll(() => looks).toBeGreaterThan(1)
    back = true
    expect(await next).toEqual({ event: first, back: true })
    live.mockRestore()
    end.abort()
  })

  it('ends with the session that opened it', async () => {
    const ctx = await sessionFromCookies(await cookieFor(await makeAccount()))
    const events = watch(ctx as AccountCtx, new AbortController().signal)
    await events.next()
    const ended = expect(events.next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    await db().userSession.deleteMany({ where: { id: ctx?.sessionId ?? '' } })
    await ended
  })

  it('is limited to a number of streams', async () => {
    const ctx = await makeAccount()
    const holds = Array.from({ length: 100 }, () => reserveStream(ctx))
    await expect(watch(ctx, new AbortController().signal).next()).rejects.toMatchObject({ code: 'TURN_REFUSED' })
    for (const { release } of holds) release()
  })
})
