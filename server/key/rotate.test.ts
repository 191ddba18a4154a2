import { expect, test, vi } from 'vitest'
import { db } from '../infra/db.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeKey } from '../testing/make.ts'
import { testServer } from '../testing/server.ts'
import { listKeys } from './list.ts'
import { revokeKey } from './revoke.ts'
import { rotateKey } from './rotate.ts'

await testDatabase()
const baseUrl = await testServer()
const status = async (value: string) => (await fetch(`${baseUrl}/v1/video`, { headers: { 'x-service-key': value } })).status

test('both keys work during the overlap; then the old one ends by itself', async () => {
  const owner = await makeAccount()
  const old = await makeKey(owner, { scopes: ['video:read', 'billing:read'] })
  const fresh = await rotateKey(owner, { keyId: old.id, overlapSec: 3_600 })
  expect(fresh).toMatchObject({ name: old.name, environment: old.environment, scopes: old.scopes })
  expect(fresh.value).not.toBe(old.value)
  expect([await status(old.value), await status(fresh.value)]).toEqual([200, 200])

  await db().apiKey.update({ where: { id: old.id }, data: { revokedAt: new Date(Date.now() + 300) } })
  await expect.poll(() => status(old.value), { interval: 20 }).toBe(401)
  expect(await status(fresh.value)).toBe(200)
})

test('without overlap the old key is refused at once', async () => {
  const owner = await makeAccount()
  const old = await makeKey(owner)
  expect(await status(old.value)).toBe(200)
  const fresh = await rotateKey(owner, { keyId: old.id, overlapSec: 0 })
  await expect.poll(() => status(old.value), { interval: 5 }).toBe(401)
  expect(await status(fresh.value)).toBe(200)
})

test('a key is rotated once, by who may, and only one’s own', async () => {
  const owner = await makeAccount()
  const { id: keyId } = await makeKey(owner)
  const viewer = { ...owner, actor: { ...owner.actor, role: 'VIEWER' as const } } as typeof owner
  await expect(rotateKey(viewer, { keyId, overlapSec: 0 })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(rotateKey(await makeAccount(), { keyId, overlapSec: 0 })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const answers = await Promise.allSettled([1, 2].map(() => rotateKey(owner, { keyId, overlapSec: 60 })))
  expect(answers.map((answer) => answer.status).sort()).toEqual(['fulfilled', 'rejected'])
  await expect(rotateKey(owner, { keyId, overlapSec: 0 })).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('the list has working keys first, one that is being replaced among them', async () => {
  const owner = await makeAccount()
  const keys = [await makeKey(owner), await makeKey(owner), await makeKey(owner)] as const
  const day = (at: number) => new Date(Date.UTC(2026, 0, at))
  for (const [at, { id }] of keys.entries()) await db().apiKey.update({ where: { id }, data: { createdAt: day(at + 1) } })
  await revokeKey(owner, { keyId: keys[2].id })
  const fresh = await rotateKey(owner, { keyId: keys[0].id, overlapSec: 3_600 })
  // The moment of the revocation is the database's, and ours may be a few milliseconds behind.
  await vi.waitFor(async () => expect((await listKeys(owner)).map(({ id }) => id)).toEqual([fresh.id, keys[1].id, keys[0].id, keys[2].id]))
})
