import { expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { services } from '../../../platform/container.ts'
import { notifications } from '../../../platform/database/notifications.ts'
import { asCaller } from '../../../platform/turns/caller.ts'
import type { Turn } from '../../../platform/turns/turns.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey } from '../../../testing/make.ts'
import { authenticate } from './authenticate.ts'

await testDatabase()

/** Takes every connection that the account may have, as its own statements do. Returns how they are given back. */
async function takeShare({ accountId }: AccountCtx): Promise<() => void> {
  const turns = services().vitalTurns
  const held: Turn[] = []
  for (let at = 0; at < (turns.bounds.share as number); at++) held.push(await turns.take([accountId, '']))
  return () => {
    for (const turn of held) turn.end()
  }
}

it('a statement that several callers share does not wait for the turn of the one who began it', async () => {
  const [busy, other] = [await makeAccount(), await makeAccount()]
  const [{ value: busyKey }, { value: otherKey }] = [await makeKey(busy), await makeKey(other)]
  const giveBack = await takeShare(busy)
  try {
    const as = <Result>({ accountId }: AccountCtx, work: () => Result) => asCaller({ accountId }, work)
    const began = as(busy, () => authenticate(busyKey))
    expect(await as(other, () => authenticate(otherKey))).toMatchObject({ accountId: other.accountId })
    expect(await began).toMatchObject({ accountId: busy.accountId })
    const first = as(busy, () => notifications().caughtUp())
    await as(other, () => notifications().caughtUp())
    await first
    expect(services().vitalTurns.load(busy.accountId)).toEqual({ running: services().vitalTurns.bounds.share, waiting: 0 })
  } finally {
    giveBack()
  }
})
