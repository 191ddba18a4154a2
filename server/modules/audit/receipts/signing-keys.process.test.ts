import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { childEnvironment, env } from '../../../platform/config/config.ts'
import { db, query } from '../../../platform/database/database.ts'
import { reseal } from '../../../platform/database/reseal.ts'
import { sealPrefix } from '../../../platform/secrets/seal.ts'
import { send } from '../../../testing/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { startHttpServer } from '../../../testing/http-server.ts'
import { expectLoggedErrors } from '../../../testing/logs.ts'
import { startWebProcess } from '../../../testing/services/web-process.ts'
import { provide } from '../../../testing/settings.ts'
import { SERVICE } from '../content-access.ts'
import { signReceipt } from './sign.ts'
import { maintainSigningKeys, publicKeys, rotateSigningKey, SEALED_SIGNING_KEYS } from './signing-keys.ts'
import { RECEIPT_TYPE } from './state.ts'

await testDatabase()
expectLoggedErrors(/secrets cannot be decrypted/, /skipped a receipt key/)
const baseUrl = await startHttpServer()
beforeEach(async () => {
  await db().receiptKey.deleteMany()
})
afterEach(() => provide({ BASE_URL: baseUrl }))

const sign = () =>
  signReceipt(SERVICE, { id: 'rcp_one', kind: 'video.deletion', accountId: 'acc_one', subject: 'vid_one', facts: { rows: { video: 1 } } })
const kidOf = (jws: string) => decodeProtectedHeader(jws).kid
const verify = async (jws: string) =>
  jwtVerify(jws, createLocalJWKSet({ keys: await publicKeys() } as unknown as JSONWebKeySet), {
    algorithms: ['EdDSA'],
    typ: RECEIPT_TYPE,
    issuer: baseUrl,
  })
/** Moves all times of the keys this many seconds into the past. */
const earlier = (seconds: number) =>
  query('test-earlier', 'UPDATE receipt_key SET signs_from = signs_from - make_interval(secs => $1)', [seconds])

it('a receipt verifies with the published keys, and names issuer and subject', async () => {
  const began = Date.now()
  const { payload } = await verify(await sign())
  expect(payload).toMatchObject({
    iss: baseUrl,
    sub: 'vid_one',
    jti: 'rcp_one',
    kind: 'video.deletion',
    account: 'acc_one',
    rows: { video: 1 },
  })
  // Whole seconds of the database's clock.
  expect(payload.iat).toBeGreaterThanOrEqual(Math.floor(began / 1_000) - 1)
  expect(payload.iat).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000) + 1)
})

it('concurrent first signatures of several processes create one key', async () => {
  await Promise.all(Array.from({ length: 8 }, sign))
  expect(await db().receiptKey.count()).toBe(1)
})

it('a new key is published at once and signs after the overlap, and signatures of the old one remain valid', async () => {
  const before = await sign()
  const { kid } = await rotateSigningKey()
  expect((await publicKeys()).map((key) => key.kid)).toEqual([kid, kidOf(before)])
  expect(kidOf(await sign())).toBe(kidOf(before))
  await maintainSigningKeys()
  expect(await db().receiptKey.count({ where: { privateKey: null } })).toBe(0)
  await earlier(16 * 60)
  expect(kidOf(await sign())).toBe(kid)
  await earlier(60)
  await maintainSigningKeys()
  expect(await db().receiptKey.findMany({ where: { privateKey: null }, select: { kid: true } })).toEqual([{ kid: kidOf(before) }])
  await verify(before)
  await verify(await sign())
})

it('with `now`, the new key signs at once and no other can', async () => {
  const before = await sign()
  const { kid } = await rotateSigningKey({ now: true })
  expect(kidOf(await sign())).toBe(kid)
  expect(await db().receiptKey.count({ where: { privateKey: { not: null } } })).toBe(1)
  await verify(before)
})

it('a key is replaced after 90 days, once', async () => {
  await sign()
  await maintainSigningKeys()
  expect(await db().receiptKey.count()).toBe(1)
  await earlier(91 * 86_400)
  await maintainSigningKeys()
  await maintainSigningKeys()
  expect(await db().receiptKey.count()).toBe(2)
})

/** Returns a receipt that another process signs under these master keys, after it has run the hourly job. */
function signedUnder(masterKeys: string): string {
  const { DATABASE_URL, DATA_DIR, REELGATE_SECRET, BASE_URL } = env()
  const settings = { DATABASE_URL, DATA_DIR, REELGATE_SECRET, BASE_URL, MASTER_KEYS: masterKeys, LOG_LEVEL: 'error' }
  const module = (name: string) => JSON.stringify(join(import.meta.dirname, name))
  const code = `
    const { buildContainer } = await import(${module('../../../services.ts')})
    buildContainer(JSON.parse(process.argv[1]))
    const { closeDb } = await import(${module('../../../platform/database/database.ts')})
    const { runners } = await import(${module('../../../worker/runners.ts')})
    const { signReceipt } = await import(${module('sign.ts')})
    const { SERVICE } = await import(${module('../content-access.ts')})
    await runners['key.rewrap']({}, new AbortController().signal)
    process.stdout.write(await signReceipt(SERVICE, { id: 'rcp_two', kind: 'video.deletion', accountId: 'acc_one', subject: 'vid_one', facts: {} }))
    await closeDb()`
  const said = spawnSync(process.execPath, ['--input-type=module', '-e', code, JSON.stringify(settings)], {
    encoding: 'utf8',
    env: childEnvironment(),
  })
  if (said.status !== 0) throw new Error(said.stderr)
  return said.stdout
}

it('private parts move to a new master key, and the old one can be removed', async () => {
  const kid = kidOf(await sign())
  const [first, second] = ['first', 'second'].map((name) => `${name}:${`${name} secret `.repeat(4)}`) as [string, string]
  expect(kidOf(signedUnder(first))).toBe(kid)
  expect(kidOf(signedUnder(`${second},${first}`))).toBe(kid)
  const last = signedUnder(second)
  expect(kidOf(last)).toBe(kid)
  await verify(last)
})

it('a private part that cannot be decrypted is skipped', async () => {
  const before = await sign()
  const row = await db().receiptKey.findFirstOrThrow()
  // As if sealed under a master key that was removed.
  const lost = Buffer.concat([sealPrefix('gone'), Buffer.from(row.privateKey as Uint8Array).subarray(5)])
  expect((await reseal(SEALED_SIGNING_KEYS, new AbortController().signal)).unreadable).toBe(0)
  await db().receiptKey.update({ where: { kid: row.kid }, data: { privateKey: lost } })
  expect(await reseal(SEALED_SIGNING_KEYS, new AbortController().signal)).toEqual({ sealed: 0, unreadable: 1 })
  const after = await sign()
  expect(kidOf(after)).not.toBe(kidOf(before))
  await verify(before)
  await verify(after)
})

it('an installation with a new address signs with another key, and old receipts name the old address', async () => {
  const before = await sign()
  provide({ BASE_URL: 'https://video.example.com' })
  const after = await sign()
  const keys = await publicKeys()
  expect(keys.find(({ kid }) => kid === kidOf(after))?.iss).toBe('https://video.example.com')
  expect(keys.find(({ kid }) => kid === kidOf(before))?.iss).toBe(baseUrl)
})

it('keys stored before the first signature verify the first receipt', async () => {
  const saved = JSON.parse((await send(`${baseUrl}/.well-known/jwks.json`)).body) as JSONWebKeySet
  await jwtVerify(await sign(), createLocalJWKSet(saved))
})

it('/.well-known/jwks.json publishes them for any origin, is cacheable, and contains nothing private', async () => {
  const process = await startWebProcess({ settings: { BASE_URL: env().BASE_URL } })
  const jws = await sign()
  const { status, headers, body } = await send(`${process.url}/.well-known/jwks.json`)
  expect([status, headers['content-type'], headers['cache-control'], headers['access-control-allow-origin']]).toEqual([
    200,
    'application/jwk-set+json',
    'public, max-age=300',
    '*',
  ])
  const { keys } = JSON.parse(body) as JSONWebKeySet
  expect(keys).toEqual([{ kty: 'OKP', crv: 'Ed25519', x: expect.any(String), kid: kidOf(jws), alg: 'EdDSA', use: 'sig', iss: baseUrl }])
  await jwtVerify(jws, createLocalJWKSet({ keys }))
  const again = await send(`${process.url}/.well-known/jwks.json`, { headers: { 'if-none-match': headers.etag } })
  expect([again.status, again.body]).toEqual([304, ''])
  expect((await send(`${process.url}/.well-known/jwks.json`, { method: 'POST' })).status).toBe(405)
  expect((await send(`${process.url}/.well-known/other`)).status).toBe(404)
  await process.kill()
})
