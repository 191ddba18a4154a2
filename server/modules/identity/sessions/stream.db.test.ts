import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { cookieFor } from '../../../testing/sign-in.ts'
import { watchVideos } from '../../dashboard/watch-videos.ts'
import { sessionFromCookies } from './session.ts'
import { reserveStream, type StreamSlot } from './watch-account.ts'

await testDatabase()
let ctx: AccountCtx

async function signedIn(): Promise<AccountCtx> {
  const found = await sessionFromCookies(await cookieFor(await makeAccount()))
  if (!found) throw new Error('a session that does not hold')
  return found
}

beforeAll(async () => {
  ctx = await signedIn()
})

/** Watches until the stream ends; resolves to the code of its error. */
async function watching(who: AccountCtx): Promise<{ ended: Promise<unknown>; stop: () => void }> {
  const stopping = new AbortController()
  const events = watchVideos(who, stopping.signal)
  await events.next()
  const ended = (async () => {
    for await (const _ of events);
  })().then(
    () => 'quietly',
    (error: { code?: string }) => error.code,
  )
  return { ended, stop: () => stopping.abort() }
}

describe('reserveStream', () => {
  it('ends the streams of an ended session, and no others', async () => {
    const other = await signedIn()
    const [mine, theirs] = [await watching(ctx), await watching(other)]
    await db().userSession.deleteMany({ where: { id: ctx.sessionId ?? '' } })
    expect(await mine.ended).toBe('UNAUTHENTICATED')
    theirs.stop()
    expect(await theirs.ended).toBe('quietly')
  })

  it('ends when the user is no longer a member, or switches to another account', async () => {
    for (const change of ['removed', 'switched'] as const) {
      const who = await signedIn()
      if (who.actor.kind !== 'user') throw new Error('not a person')
      const { userId } = who.actor
      const stream = await watching(who)
      if (change === 'removed') await db().membership.deleteMany({ where: { userId } })
      else {
        const { accountId } = await makeAccount()
        await db().membership.create({ data: { accountId, userId, role: 'VIEWER' } })
        await db().userSession.updateMany({ where: { userId }, data: { accountId } })
      }
      expect(await stream.ended).toBe('UNAUTHENTICATED')
    }
  })

  it('continues when only the role changes', async () => {
    const who = await signedIn()
    const stream = await watching(who)
    await db().membership.updateMany({ where: { accountId: who.accountId }, data: { role: 'VIEWER' } })
    // The next notification arrives after the first was processed.
    await db().userSession.deleteMany({ where: { id: who.sessionId ?? '' } })
    expect(await stream.ended).toBe('UNAUTHENTICATED')
  })

  it('limits the number of streams, and releases them', async () => {
    const who = await signedIn()
    const holds: StreamSlot[] = []
    const openAll = () => {
      for (;;) holds.push(reserveStream(who))
    }
    expect(openAll).toThrow(expect.objectContaining({ code: 'TURN_REFUSED', isOwn: true }))
    expect(holds).toHaveLength(100)
    const elsewhere = reserveStream(await signedIn())
    holds[0]?.release()
    holds[0]?.release()
    const last = reserveStream(who)
    expect(() => reserveStream(who)).toThrow()
    for (const hold of [...holds, last, elsewhere]) hold.release()
  })
})
