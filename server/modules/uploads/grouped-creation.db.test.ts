import { expect, it } from 'vitest'
import type { AccountCtx } from '../../context.ts'
import { services } from '../../platform/container.ts'
import { db } from '../../platform/database/database.ts'
import { newId } from '../../platform/secrets/crypto.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { provide } from '../../testing/settings.ts'
import { createGrouped } from './grouped-creation.ts'

await testDatabase()
provide({ MAX_UNFINISHED_UPLOADS: '1000', MAX_PENDING_VIDEOS: '1000' })

const newRow = ({ accountId }: AccountCtx) => ({
  id: newId('upl'),
  accountId,
  creator: { keyId: 'key_test' },
  fields: { targetQuality: '1080p', encrypted: true } as const,
  maxBytes: 9,
  videoId: newId('vid'),
  allowedOrigin: undefined,
  expiresInSec: 60,
  once: undefined,
})

it('creates an upload that is requested while the group before it ends, at any moment', async () => {
  const ctx = await makeAccount()
  for (let moments = 0; moments < 16; moments++) {
    await createGrouped(newRow(ctx))
    for (let moment = 0; moment < moments; moment++) await null
    await createGrouped(newRow(ctx))
  }
  expect(await db().directUpload.count({ where: { accountId: ctx.accountId } })).toBe(32)
})

it('creates all of many that are requested at once, and rejects each when the database refuses them', async () => {
  const ctx = await makeAccount()
  const rows = Array.from({ length: 150 }, () => newRow(ctx))
  const creations = await Promise.all(rows.map(createGrouped))
  expect(creations).toHaveLength(150)
  expect(await db().upload.count({ where: { accountId: ctx.accountId } })).toBe(150)
  // Ids that exist.
  const again = await Promise.allSettled(rows.slice(0, 3).map(createGrouped))
  expect(again.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(await createGrouped(newRow(ctx))).toHaveProperty('expiresAt')
})

it('resolves once the upload is durable, and creates the next one meanwhile', async () => {
  const ctx = await makeAccount()
  const flushes = services().commitFlushes
  let end = () => {}
  flushes.next = new Promise<void>((resolve) => {
    end = resolve
  })
  const settled: number[] = []
  const creations = [0, 1].map(async (at) => {
    await createGrouped(newRow(ctx))
    settled.push(at)
  })
  await expect.poll(() => db().directUpload.count({ where: { accountId: ctx.accountId } })).toBe(2)
  expect(settled).toEqual([])
  delete flushes.next
  end()
  await Promise.all(creations)
})
