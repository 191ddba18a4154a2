import { Secret, TOTP } from 'otpauth'
import { beforeAll, expect, test } from 'vitest'
import type { AccountCtx } from '../../../context.ts'
import { serviceNow } from '../../../platform/database/clock.ts'
import { db } from '../../../platform/database/database.ts'
import type { Scope } from '../../../scopes.ts'
import { repeatConcurrently, send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount, makeKey, makeMember, makeVideo } from '../../../testing/make.ts'
import { startWebProcesses, type WebProcess } from '../../../testing/services/web-process.ts'
import type { SecondFactor } from '../../identity/sign-in/schema.ts'
import { newTotp } from '../../identity/sign-in/totp.ts'
import { patchVideo } from '../../videos/edit-video.ts'
import { rotateKey } from './rotate-key.ts'
import { setKeyScopes } from './set-scopes.ts'

await testDatabase()
let processes: WebProcess[]
let owner: AccountCtx
let videoId: string
beforeAll(async () => {
  processes = await startWebProcesses(2)
  owner = await makeAccount()
  videoId = await makeVideo(owner)
})

const visitor = { address: '192.0.2.1' }
const BOTH: Scope[] = ['video:read', 'video:write']
const set = (ctx: AccountCtx, keyId: string, expected: Scope[], scopes: Scope[], code?: SecondFactor) =>
  setKeyScopes(ctx, visitor, { keyId, expected, scopes, code })
const scopesOf = async (keyId: string) => (await db().apiKey.findUniqueOrThrow({ where: { id: keyId } })).scopes
const request = async (process: WebProcess | undefined, key: string, method: string, path: string, body?: string) => {
  const headers = { 'x-service-key': key, ...(body && { 'content-type': 'application/json' }) }
  const response = await send(`${process?.url}/v1/video/${videoId}${path}`, { method, headers, body })
  return [response.status, JSON.parse(response.body).error?.code]
}
const write = (process: WebProcess | undefined, key: string) => request(process, key, 'PATCH', '', '{}')
const issue = (process: WebProcess | undefined, key: string) => request(process, key, 'POST', '/playback-token')

test('once a scope is removed, no process changes a video or issues a token, although its caches hold the key', async () => {
  const key = await makeKey(owner, { scopes: BOTH })
  for (const process of processes) {
    expect(await write(process, key.value)).toEqual([200, undefined])
    expect(await issue(process, key.value)).toEqual([200, undefined])
  }
  await set(owner, key.id, BOTH, ['video:read'])
  for (const process of processes) {
    expect(await write(process, key.value)).toEqual([403, 'INSUFFICIENT_SCOPE'])
    expect(await issue(process, key.value)).toEqual([200, undefined])
  }
  await set(owner, key.id, ['video:read'], ['billing:read'])
  for (const process of processes) {
    expect(await issue(process, key.value)).toEqual([403, 'INSUFFICIENT_SCOPE'])
    await expect.poll(() => request(process, key.value, 'GET', '')).toEqual([403, 'INSUFFICIENT_SCOPE'])
  }
  await set(owner, key.id, ['billing:read'], BOTH)
  for (const process of processes) await expect.poll(() => write(process, key.value)).toEqual([200, undefined])
})

test('a change that is under way is complete before the scope is gone, and none begins afterwards', async () => {
  const key = await makeKey(owner, { scopes: BOTH })
  const video = await makeVideo(owner)
  const ctx: AccountCtx = {
    accountId: owner.accountId,
    actor: { kind: 'key', keyId: key.id, scopes: BOTH, environment: 'LIVE' },
    requestId: 'req_test',
  }
  let changes = 0
  const refusals: unknown[] = []
  // The context has the scopes that a stale cache would have.
  const load = repeatConcurrently(4, async () => {
    try {
      await patchVideo(ctx, { videoId: video, changes: { metadata: { change: `${++changes}` } } })
      return true
    } catch (error) {
      refusals.push((error as { code: string }).code)
      return false
    }
  })
  await expect.poll(() => changes, { interval: 5 }).toBeGreaterThan(10)
  await set(owner, key.id, BOTH, ['video:read'])
  const { metadata } = await db().video.findUniqueOrThrow({ where: { id: video } })
  await load
  expect(refusals).toEqual(Array(4).fill('INSUFFICIENT_SCOPE'))
  expect((await db().video.findUniqueOrThrow({ where: { id: video } })).metadata).toEqual(metadata)
})

test('a new scope requires the second factor of a member who has one; a removed one does not', async () => {
  const member = await makeMember(owner, 'DEVELOPER')
  const { userId, email } = member.actor
  const { sealed, secret } = newTotp(userId, email)
  await db().user.update({ where: { id: userId }, data: { totpSecret: sealed, totpConfirmedAt: new Date() } })
  const key = await makeKey(owner)
  const asked = { code: 'INVALID_REQUEST', extras: { details: [{ in: 'body', path: 'code' }] } }
  await expect(set(member, key.id, ['video:read'], BOTH)).rejects.toMatchObject(asked)
  const wrong: SecondFactor = { kind: 'recovery', code: 'a'.repeat(16) }
  await expect(set(member, key.id, ['video:read'], BOTH, wrong)).rejects.toMatchObject(asked)
  // A stale page is refused before a code is used up.
  const code = (): SecondFactor => ({
    kind: 'totp',
    code: new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: serviceNow() }),
  })
  await expect(set(member, key.id, ['billing:read'], BOTH, code())).rejects.toMatchObject({
    code: 'CONFLICT',
    extras: { details: { scopes: ['video:read'] } },
  })
  expect(await scopesOf(key.id)).toEqual(['video:read'])
  await set(member, key.id, ['video:read'], BOTH, code())
  expect(await scopesOf(key.id)).toEqual(BOTH)
  await set(member, key.id, BOTH, ['video:write'])
  expect(await scopesOf(key.id)).toEqual(['video:write'])
  const entries = await db().auditEntry.findMany({ where: { subject: key.id, action: 'key.scopes' }, orderBy: { id: 'asc' } })
  expect(entries.map(({ actor, before, after }) => ({ actor, before, after }))).toEqual([
    { actor: userId, before: { scopes: ['video:read'] }, after: { scopes: BOTH } },
    { actor: userId, before: { scopes: BOTH }, after: { scopes: ['video:write'] } },
  ])
})

test('a rotated key has the present scopes', async () => {
  const key = await makeKey(owner)
  await set(owner, key.id, ['video:read'], BOTH)
  expect((await rotateKey(owner, visitor, { keyId: key.id, overlapSec: 0 })).scopes).toEqual(BOTH)
})
