import { expect, it } from 'vitest'
import type { AccountCtx, Actor } from '../../context.ts'
import { db, query } from '../../platform/database/database.ts'
import { stopClock } from '../../testing/clock.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount, makeKey, makeVideo } from '../../testing/make.ts'
import { disableKey, revokeKey } from '../access/keys/end-key.ts'
import { endPlayback } from '../delivery/sessions/ends.ts'
import { patchVideo } from '../videos/edit-video.ts'
import { record } from './record.ts'
import { verifyAudit } from './verify-chain.ts'

await testDatabase()
const setClock = await stopClock(undefined)

const limit = (ctx: AccountCtx, name: 'auditBytes' | 'auditDayBytes', value: number) =>
  db().accountLimit.create({ data: { accountId: ctx.accountId, name, value: BigInt(value), reason: 'test', setBy: 'usr_s' } })
const patch = (ctx: AccountCtx, videoId: string, title: string) => patchVideo(ctx, { videoId, changes: { title } })
const bytes = async (ctx: AccountCtx) => {
  const sql = `SELECT bytes::float8, day_bytes::float8 AS today,
    (SELECT sum(audit_bytes(before, after))::float8 FROM audit_entry WHERE account_id = $1) AS real FROM audit_chain WHERE account_id = $1`
  return (await query<{ bytes: number; today: number; real: number }>('bytes', sql, [ctx.accountId]))[0]
}
const entries = ({ accountId }: AccountCtx) => db().auditEntry.count({ where: { accountId } })
const reached = (name: string) => ({ code: 'TOO_MANY_ATTEMPTS', extras: { details: { limit: name } } })

it('counts the bytes of entries, in all and by UTC day, and leaves the chain valid', async () => {
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx, { title: 'One' })
  await setClock('2026-03-01T23:59:59Z')
  await patch(ctx, videoId, 'Two')
  const first = await bytes(ctx)
  expect(first).toMatchObject({ bytes: first?.real, today: first?.real })
  await setClock('2026-03-02T00:00:00Z')
  await patch(ctx, videoId, 'Three')
  const both = await bytes(ctx)
  expect(both?.bytes).toBe(both?.real)
  expect(both?.today).toBe((both?.real ?? 0) - (first?.real ?? 0))
  expect((await verifyAudit()).faults).toEqual([])
  await setClock(undefined)
})

it('refuses a change that the log of the day has no room for, and nothing that secures the account', async () => {
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx, { title: 'One' })
  const [key, other] = [await makeKey(ctx), await makeKey(ctx)]
  await setClock('2026-03-01T23:00:00Z')
  await patch(ctx, videoId, 'Two')
  await limit(ctx, 'auditDayBytes', (await bytes(ctx))?.today ?? 0)
  const before = await entries(ctx)
  await expect(patch(ctx, videoId, 'Three')).rejects.toMatchObject({ ...reached('auditDayBytes'), extras: { retryAfter: 3_600 } })
  expect(await db().video.findUnique({ where: { id: videoId }, select: { title: true } })).toEqual({ title: 'Two' })
  expect(await entries(ctx)).toBe(before)
  await revokeKey(ctx, { keyId: key.id })
  await disableKey(ctx, { keyId: other.id })
  const staff: Actor = { kind: 'support', userId: 'usr_s', email: 'help@example.com' }
  await db().$transaction((tx) => record(tx, { accountId: ctx.accountId, actor: staff }, { action: 'video.edit', subject: videoId }))
  expect(await entries(ctx)).toBe(before + 3)
  await setClock('2026-03-02T00:00:00Z')
  await patch(ctx, videoId, 'Four')
  await setClock(undefined)
})

it('leaves as much room again for the end of playback', async () => {
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx)
  await endPlayback(ctx, { videoId })
  await limit(ctx, 'auditDayBytes', (await bytes(ctx))?.today ?? 0)
  await expect(patch(ctx, videoId, 'New')).rejects.toMatchObject(reached('auditDayBytes'))
  await endPlayback(ctx, { videoId })
  await expect(endPlayback(ctx, { videoId })).rejects.toMatchObject(reached('auditDayBytes'))
})

it('refuses changes once the whole log has reached its limit', async () => {
  const ctx = await makeAccount()
  const videoId = await makeVideo(ctx)
  await patch(ctx, videoId, 'New')
  await limit(ctx, 'auditBytes', (await bytes(ctx))?.bytes ?? 0)
  await expect(patch(ctx, videoId, 'Newer')).rejects.toMatchObject(reached('auditBytes'))
})

it('lets concurrent changes exceed the limit by one entry each at most', async () => {
  const ctx = await makeAccount()
  const ids = await Promise.all(Array.from({ length: 6 }, () => makeVideo(ctx)))
  await limit(ctx, 'auditDayBytes', 1_000)
  for (let round = 0; round < 3; round++) await Promise.allSettled(ids.map((id) => patch(ctx, id, `Round ${round}`)))
  const entry = ((await bytes(ctx))?.today ?? 0) / (await entries(ctx))
  // Room for two entries, and one more of each that checked before the others ended.
  expect(await entries(ctx)).toBeLessThanOrEqual(Math.ceil(1_000 / entry) + ids.length)
  await expect(patch(ctx, ids[0] as string, 'Last')).rejects.toMatchObject(reached('auditDayBytes'))
})

it('keeps of a change of metadata what changed, and of long texts their beginning', async () => {
  const ctx = await makeAccount()
  const metadata = Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`name-${at}`, 'x'.repeat(500)]))
  const videoId = await makeVideo(ctx, { metadata })
  await patchVideo(ctx, { videoId, changes: { metadata: { 'name-7': 'y' } } })
  const one = await db().auditEntry.findFirstOrThrow({ where: { subject: videoId } })
  expect(one).toMatchObject({ before: { 'metadata.name-7': 'x'.repeat(500) }, after: { 'metadata.name-7': 'y' } })
  expect(Object.keys(one.before as object)).toHaveLength(1)
  const all = Object.fromEntries(Object.keys(metadata).map((name) => [name, 'z'.repeat(500)]))
  await patchVideo(ctx, { videoId, changes: { metadata: all } })
  const last = await db().auditEntry.findFirstOrThrow({ where: { subject: videoId }, orderBy: { id: 'desc' } })
  expect(Object.keys(last.after as object)).toHaveLength(45)
  expect(JSON.stringify([last.before, last.after]).length).toBeLessThan(16_000)
})
