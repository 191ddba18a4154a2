import { expect, it } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { db, query } from '../../../platform/database/database.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeVideo } from '../../../testing/make.ts'
import { emitMany, makeEndpoint } from '../../../testing/make-endpoint.ts'
import { finished, lease } from '../../../testing/webhook-leases.ts'
import { createDirectUpload } from '../../uploads/direct/create-direct.ts'
import { createUploadInput } from '../../uploads/direct/direct-schema.ts'
import { patchVideo } from '../../videos/edit-video.ts'
import { recordAttempts } from '../../webhooks/delivery/record-attempts.ts'
import { replayDelivery, sendTest } from '../../webhooks/delivery/replay.ts'
import { triggerSample } from '../../webhooks/endpoints/event-log.ts'
import { recordBytes } from './records.ts'

await testDatabase()

const type = 'video.processing.completed'
const limit = (ctx: AccountCtx, name: 'metadataBytes' | 'eventBytes', value: number) =>
  db().accountLimit.create({ data: { accountId: ctx.accountId, name, value: BigInt(value), reason: 'test', setBy: 'usr_s' } })
/** The bytes of the rows themselves. */
const REAL = `
  SELECT ((SELECT coalesce(sum(video_text_bytes(v)), 0) FROM video v WHERE account_id = $1)
    + (SELECT coalesce(sum(upload_text_bytes(u)), 0) FROM direct_upload u WHERE account_id = $1))::float8 AS "metadataBytes",
  ((SELECT coalesce(sum(event_bytes(e)), 0) FROM webhook_event e WHERE account_id = $1)
    + (SELECT coalesce(sum(attempt_bytes(a)), 0)
       FROM webhook_event e JOIN webhook_delivery d ON d.event_id = e.id JOIN webhook_attempt a ON a.delivery_id = d.id
       WHERE e.account_id = $1))::float8 AS "eventBytes"`
const real = async ({ accountId }: AccountCtx) => {
  const [row] = await query('real', REAL, [accountId])
  return row as object
}
const upload = (ctx: AccountCtx, fields: object) => createDirectUpload(ctx, createUploadInput.parse(fields))
const reached = (name: string) => ({ code: 'TOO_MANY_ATTEMPTS', extras: { details: { limit: name } } })
const text = (at: number) => ({ metadata: { course: 'x'.repeat(at), ...(at % 2 && { lesson: String(at) }) } })

/** An account with each kind of row that counts. */
async function busy(): Promise<{ ctx: AccountCtx; ids: string[]; eventIds: string[]; endpointId: string }> {
  const ctx = await makeAccount()
  const ids = await Promise.all([1, 2, 3].map((at) => makeVideo(ctx, { description: 'd'.repeat(at), ...text(at) })))
  await upload(ctx, { title: 'One', ...text(9) })
  const { id: endpointId } = await makeEndpoint(ctx, 'https://hooks.example.com')
  const eventIds = await emitMany(ctx, 3)
  const attempts = (await lease(endpointId, 3)).map((one) => finished(one))
  await recordAttempts(
    attempts.map((one) => ({ ...one, result: { ...one.result, body: 'b'.repeat(100) } })),
    1,
  )
  return { ctx, ids, eventIds, endpointId }
}

it('counts what the rows are, also after changes, deletions and folds', async () => {
  const { ctx, ids, eventIds } = await busy()
  const before = await recordBytes(ctx.accountId)
  expect(before).toMatchObject(await real(ctx))
  expect([before.metadataBytes > 0, before.eventBytes > 0]).toEqual([true, true])
  for (let at = 0; at < 120; at++) await patchVideo(ctx, { videoId: ids[at % 2] as string, changes: text(at + 1) })
  await db().video.delete({ where: { id: ids[2] as string } })
  await db().webhookEvent.deleteMany({ where: { id: eventIds[0] as string } })
  await db().directUpload.deleteMany({ where: { accountId: ctx.accountId } })
  expect(await recordBytes(ctx.accountId)).toMatchObject(await real(ctx))
  expect(await db().storageCount.count({ where: { accountId: ctx.accountId } })).toBeLessThan(64)
})

it('refuses longer texts and uploads at the limit, and accepts shorter texts', async () => {
  const { ctx, ids } = await busy()
  await limit(ctx, 'metadataBytes', (await recordBytes(ctx.accountId)).metadataBytes + 100)
  const [videoId = '', second = ''] = ids
  await expect(patchVideo(ctx, { videoId, changes: text(400) })).rejects.toMatchObject(reached('metadataBytes'))
  await expect(upload(ctx, { title: 'One' })).rejects.toMatchObject(reached('metadataBytes'))
  await patchVideo(ctx, { videoId: second, changes: { metadata: null } })
  await patchVideo(ctx, { videoId, changes: text(101) })
  expect(await recordBytes(ctx.accountId)).toMatchObject(await real(ctx))
})

it('lets concurrent changes exceed the limit by what one adds each', async () => {
  const ctx = await makeAccount()
  const ids = await Promise.all(Array.from({ length: 6 }, () => makeVideo(ctx)))
  const before = (await recordBytes(ctx.accountId)).metadataBytes
  await limit(ctx, 'metadataBytes', before + 1_000)
  const write = (name: string) => ids.map((videoId) => patchVideo(ctx, { videoId, changes: { metadata: { [name]: 'x'.repeat(400) } } }))
  for (const name of ['one', 'two', 'three']) await Promise.allSettled(write(name))
  expect((await recordBytes(ctx.accountId)).metadataBytes - before).toBeLessThanOrEqual(1_000 + 6 * 700)
  const ended = await Promise.allSettled(write('four'))
  expect(ended.every(({ status }) => status === 'rejected')).toBe(true)
})

it('refuses samples and replays at the limit of events, and stores what happened', async () => {
  const { ctx, endpointId, eventIds } = await busy()
  await limit(ctx, 'eventBytes', (await recordBytes(ctx.accountId)).eventBytes - 1)
  await expect(triggerSample(ctx, { type })).rejects.toMatchObject(reached('eventBytes'))
  await expect(sendTest(ctx, { endpointId, type })).rejects.toMatchObject(reached('eventBytes'))
  await expect(replayDelivery(ctx, { endpointId, eventId: eventIds[0] as string })).rejects.toMatchObject(reached('eventBytes'))
  expect(await emitMany(ctx, 1)).toEqual([expect.stringMatching(/^evt_/)])
})

it('keeps no response of an attempt beyond the limit of events', async () => {
  const [full, other] = [await busy(), await busy()]
  await limit(full.ctx, 'eventBytes', 1)
  for (const { ctx, endpointId } of [full, other]) {
    await emitMany(ctx, 1)
    const [one] = await lease(endpointId, 1)
    const attempt = finished(one as NonNullable<typeof one>)
    await recordAttempts([{ ...attempt, result: { ...attempt.result, body: 'answer', headers: { a: 'b' } } }], 1)
  }
  const last = (endpointId: string) =>
    db().webhookAttempt.findFirst({
      where: { delivery: { endpointId } },
      orderBy: { id: 'desc' },
      select: { status: true, body: true, headers: true },
    })
  expect(await last(full.endpointId)).toEqual({
    status: 200,
    headers: '{}',
    body: 'Not kept: the webhook events of the account have reached their limit.',
  })
  expect(await last(other.endpointId)).toEqual({ status: 200, headers: '{"a":"b"}', body: 'answer' })
})
