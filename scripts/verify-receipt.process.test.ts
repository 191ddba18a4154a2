import { execFile } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SERVICE } from '../server/modules/audit/content-access.ts'
import { receiptFile, signReceipt } from '../server/modules/audit/receipts/sign.ts'
import { publicKeys, rotateSigningKey, signingKey } from '../server/modules/audit/receipts/signing-keys.ts'
import { childEnvironment } from '../server/platform/config/config.ts'
import { send } from '../server/testing/client.ts'
import { testDatabase } from '../server/testing/database.ts'
import { startHttpServer } from '../server/testing/http-server.ts'

await testDatabase()
const baseUrl = await startHttpServer()
const folder = mkdtempSync(join(tmpdir(), 'reelgate-receipts-'))
afterAll(() => rmSync(folder, { recursive: true }))

const run = promisify(execFile)
// Every network request fails.
const OFFLINE = ['--disable-warning=ExperimentalWarning', '--import', `data:text/javascript,globalThis.fetch=()=>{throw Error('offline')}`]

/** Runs the command as `npx -p @reelgate/sdk reelgate verify-receipt` does; without a network unless `online`. */
async function verify(file: string, options: string[] = [], { online = false } = {}): Promise<{ code: number; out: string; err: string }> {
  const words = [...(online ? [] : OFFLINE), join(import.meta.dirname, '../sdk/bin/reelgate.mjs'), 'verify-receipt', file, ...options]
  return run(process.execPath, words, { cwd: folder, env: childEnvironment() }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
  )
}

const write = (name: string, content: unknown) => {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}
const CLAIMS = {
  id: 'rcp_one',
  kind: 'video.deletion',
  accountId: 'acc_one',
  subject: 'vid_one',
  facts: { rows: { video: 1, rendition: 4 }, storage: { objects: 3, bytes: 1_000 } },
} as const

let jws: string
let file: string
let jwks: string
beforeAll(async () => {
  jws = await signReceipt(SERVICE, CLAIMS)
  file = write('receipt.json', receiptFile(SERVICE, jws).content)
  jwks = write('jwks.json', (await send(`${baseUrl}/.well-known/jwks.json`)).body)
})

it('prints that a receipt is valid, its issuer and its content, with saved keys and without a network', async () => {
  const { code, out, err } = await verify(file, ['--jwks', jwks])
  expect([code, err]).toEqual([0, ''])
  expect(out).toMatch(new RegExp(`^Valid\\. Signed by ${baseUrl} at \\d{4}-`))
  expect(JSON.parse(out.slice(out.indexOf('{')))).toMatchObject({
    iss: baseUrl,
    sub: 'vid_one',
    kind: 'video.deletion',
    rows: { rendition: 4 },
  })
})

it('accepts the JWS alone, and fetches keys from the issuer', async () => {
  const alone = write('receipt.jws', `${jws}\n`)
  expect(await verify(alone, ['--jwks', jwks, '--issuer', baseUrl])).toMatchObject({ code: 0 })
  expect(await verify(file, [], { online: true })).toMatchObject({ code: 0 })
  expect(await verify(file)).toMatchObject({ code: 1, err: expect.stringContaining('To verify offline, save the keys') })
})

it('still verifies after the key was replaced, also with keys saved later', async () => {
  await rotateSigningKey({ now: true })
  const later = write('later.json', { keys: await publicKeys() })
  expect(await verify(file, ['--jwks', later])).toMatchObject({ code: 0 })
  const newer = write('newer.json', receiptFile(SERVICE, await signReceipt(SERVICE, CLAIMS)).content)
  expect(await verify(newer, ['--jwks', later])).toMatchObject({ code: 0 })
  expect(await verify(newer, ['--jwks', jwks])).toMatchObject({ code: 1, err: expect.stringContaining('contains no key with the id') })
})

describe('refuses', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())
  const parts = () => jws.split('.') as [string, string, string]
  /** Signs with the service's own key, with another header or payload. */
  const resigned = async (header: object, payload: object = {}) => {
    const [first, second] = parts()
    const { key, kid } = await signingKey()
    const signed = `${encode({ ...decode(first), kid, ...header })}.${encode({ ...decode(second), ...payload })}`
    return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
  }
  const stranger = async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const jwk = publicKey.export({ format: 'jwk' }) as JWK
    const kid = await calculateJwkThumbprint(jwk)
    const made = (header: object = {}) =>
      new SignJWT(decode(parts()[1])).setProtectedHeader({ alg: 'EdDSA', kid, typ: 'reelgate-receipt+jwt', ...header }).sign(privateKey)
    return { jwk, kid, made }
  }
  const flipped = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1)
  const readable = () => JSON.parse(receiptFile(SERVICE, jws).content)

  const CASES: Record<string, [() => Promise<string | object> | string | object, RegExp]> = {
    'a changed payload': [
      () => [parts()[0], encode({ ...decode(parts()[1]), rows: { video: 2 } }), parts()[2]].join('.'),
      /signature does not match/,
    ],
    'a changed signature': [() => [parts()[0], parts()[1], flipped(parts()[2])].join('.'), /signature does not match/],
    'a readable part that was changed': [
      () => ({ ...readable(), receipt: { ...readable().receipt, rows: { video: 9 } } }),
      /readable part differs/,
    ],
    'a readable part that lacks something': [() => ({ ...readable(), receipt: { ...readable().receipt, storage: undefined } }), /differs/],
    'no algorithm': [() => [encode({ ...decode(parts()[0]), alg: 'none' }), parts()[1], ''].join('.'), /invalid length/],
    'another algorithm, rightly signed': [() => resigned({ alg: 'Ed25519' }), /algorithm is Ed25519/],
    'another type, rightly signed': [() => resigned({ typ: 'JWT' }), /not reelgate-receipt/],
    'a key in the header': [async () => (await stranger()).made({ jwk: (await stranger()).jwk }), /unexpected fields: jwk/],
    'a critical extension': [() => resigned({ crit: ['b64'], b64: true }), /unexpected fields: crit, b64/],
    "a stranger's key": [async () => (await stranger()).made(), /contains no key with the id/],
    "a stranger's key under our name": [async () => (await stranger()).made({ kid: (await signingKey()).kid }), /signature does not match/],
    'another issuer under our key': [() => resigned({}, { iss: 'https://video.example.com' }), /belongs to http/],
    'no issuer': [() => resigned({}, { iss: undefined }), /issuer is missing/],
    'one from the future': [() => resigned({}, { iat: Math.floor(Date.now() / 1_000) + 4_000 }), /in the future/],
    'padding in its spelling': [() => `${jws}=`, /not valid base64url/],
    'a playback token': [() => 'pt_a.b.c', /not valid base64url|JSON|length/],
    'another file': [() => ({ hello: 'world' }), /is not a receipt/],
  }

  it.each(Object.entries(CASES))('%s', async (name, [make, why]) => {
    const made = await make()
    const keys = write('keys.json', { keys: await publicKeys() })
    const { code, err, out } = await verify(write(`${name.replaceAll(/\W/g, '-')}.json`, made), ['--jwks', keys])
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^NOT VALID: /)
    expect(err).toMatch(why)
  })

  it('keys that do not match their thumbprint, and keys without an issuer', async () => {
    const { jwk, kid, made } = await stranger()
    const theirs = write('theirs.jws', await made())
    const [ours] = await publicKeys()
    expect(await verify(theirs, ['--jwks', write('swapped.json', { keys: [{ ...ours, kid, x: ours?.x }] })])).toMatchObject({
      code: 1,
      err: expect.stringContaining('does not match its id'),
    })
    const anonymous = write('anonymous.json', { keys: [{ ...jwk, kid }] })
    expect(await verify(theirs, ['--jwks', anonymous])).toMatchObject({ code: 1, err: expect.stringContaining('do not name an issuer') })
  })

  it('an unexpected service, and keys over an unencrypted connection', async () => {
    expect(await verify(file, ['--jwks', jwks, '--issuer', 'https://video.example.com'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('not https://video.example.com'),
    })
    expect(await verify(file, ['--jwks', 'http://video.example.com/.well-known/jwks.json'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('only over https'),
    })
  })
})
