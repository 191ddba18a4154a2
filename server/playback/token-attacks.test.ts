import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sessionSecret } from '../account/session.ts'
import { serviceNow } from '../infra/clock.ts'
import { provide } from '../infra/env.ts'
import { send } from '../testing/client.ts'
import { stopClock } from '../testing/clock.ts'
import { testDatabase } from '../testing/database.ts'
import { makeAccount, makeVideo } from '../testing/make.ts'
import { testServer } from '../testing/server.ts'

const SECRET = 'the secret that signs and has the kid current'
const PREVIOUS = 'the secret that signed before and has the kid previous'
/** The database's clock, Unix seconds; it stands still, and the process's is hours away. */
const NOW = Date.UTC(2026, 10, 21, 12) / 1000

await testDatabase()
await stopClock(new Date(NOW * 1000 + 400))
provide({ PLAYBACK_TOKEN_SECRETS: `current:${SECRET},previous:${PREVIOUS}` })
vi.useFakeTimers({ toFake: ['Date'], now: (NOW - 7 * 3600) * 1000 })
const baseUrl = await testServer()
afterAll(() => void vi.useRealTimers())

let videoId: string
let otherVideoId: string
beforeAll(async () => {
  const owner = await makeAccount()
  videoId = await makeVideo(owner)
  otherVideoId = await makeVideo(owner)
  // The next heartbeat tells. (vitest's own waiting would move the clock.)
  while (serviceNow() !== NOW * 1000 + 400) await wait(20)
})

interface Made {
  /** Replaced or added; undefined takes away. */
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  /** Instead of the claims' JSON. */
  payload?: string | Uint8Array
  secret?: string | Buffer
  hash?: 'sha256' | 'sha384' | 'sha512'
  /** Instead of the HMAC. */
  signature?: string | ((signed: string) => string)
}

const base64url = (value: string | Uint8Array) => Buffer.from(value).toString('base64url')

/** A playback token by hand, without the library that the service uses. Without arguments it is as the service makes them. */
function token({ header, claims, payload, secret = SECRET, hash = 'sha256', signature }: Made = {}): string {
  const head = { alg: 'HS256', kid: 'current', typ: 'JWT', ...header }
  const body = { videoId, jti: 'tok_1', iss: 'reelgate', aud: 'playback', iat: NOW, exp: NOW + 300, ...claims }
  const signed = `${base64url(JSON.stringify(head))}.${base64url(payload ?? JSON.stringify(body))}`
  const hmac = () => createHmac(hash, secret).update(signed).digest('base64url')
  return `pt_${signed}.${typeof signature === 'function' ? signature(signed) : (signature ?? hmac())}`
}

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')
const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string
const signedBy = (key: KeyObject, algorithm: string | null) => (signed: string) =>
  sign(algorithm, Buffer.from(signed), key).toString('base64url')
const ATTACKER = 'a secret that the attacker chose, long enough for HS256'

/** The parts of a token, changed. */
function parts(change: (header: string, payload: string, signature: string) => string): string {
  const [header, payload, signature] = token().slice(3).split('.') as [string, string, string]
  return change(header, payload, signature)
}

/** The same bits but for those that a decoder throws away. */
function respelled(text: string, by: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(text.at(-1) as string)
  const spelled = text.slice(0, -1) + alphabet[last ^ by]
  expect(Buffer.from(spelled, 'base64url')).toEqual(Buffer.from(text, 'base64url'))
  return spelled
}

const INVALID = 'PLAYBACK_TOKEN_INVALID'
const EXPIRED = 'PLAYBACK_TOKEN_EXPIRED'
type Row = [name: string, attack: () => string, twin?: () => string, code?: string]

/** Sent as one path segment, percent-encoded. A twin differs from its attack in nothing but what is attacked; without one it is the plain token. */
const ATTACKS: Record<string, Row[]> = {
  'the algorithm': [
    ['none, unsigned', () => token({ header: { alg: 'none' }, signature: '' })],
    ['None', () => token({ header: { alg: 'None' }, signature: '' })],
    ['NONE', () => token({ header: { alg: 'NONE' }, signature: '' })],
    ['nOnE', () => token({ header: { alg: 'nOnE' }, signature: '' })],
    ['none, with an HMAC under it', () => token({ header: { alg: 'none' } })],
    ['none, without kid', () => token({ header: { alg: 'none', kid: undefined }, signature: '' })],
    ['none, and a signature of zeros', () => token({ header: { alg: 'none' }, signature: 'A'.repeat(43) })],
    ['missing', () => token({ header: { alg: undefined } })],
    ['empty', () => token({ header: { alg: '' } })],
    ['null', () => token({ header: { alg: null } })],
    ['a number', () => token({ header: { alg: 256 } })],
    ['an array', () => token({ header: { alg: ['HS256'] } })],
    ['an object', () => token({ header: { alg: { name: 'HS256' } } })],
    ['in small letters', () => token({ header: { alg: 'hs256' } })],
    ['with a space', () => token({ header: { alg: 'HS256 ' } })],
    ['HS384 under our secret', () => token({ header: { alg: 'HS384' }, hash: 'sha384' })],
    ['HS512 under our secret', () => token({ header: { alg: 'HS512' }, hash: 'sha512' })],
    ['HS384 said, SHA-256 done', () => token({ header: { alg: 'HS384' } })],
    ['HS256 said, SHA-512 done', () => token({ hash: 'sha512' })],
    [
      'HS256 said, SHA-512 done and cut to 32 bytes',
      () => token({ signature: (signed) => createHmac('sha512', SECRET).update(signed).digest().subarray(0, 32).toString('base64url') }),
    ],
    ['RS256 of the attacker', () => token({ header: { alg: 'RS256' }, signature: signedBy(rsa.privateKey, 'sha256') })],
    ['RS256 said, HS256 under the public key', () => token({ header: { alg: 'RS256' }, secret: pem })],
    ['HS256 under a public key', () => token({ secret: pem })],
    ['ES256 of the attacker', () => token({ header: { alg: 'ES256' }, signature: signedBy(ec.privateKey, 'sha256') })],
    ['ES256 with r = s = 0', () => token({ header: { alg: 'ES256' }, signature: 'A'.repeat(86) })],
    ['EdDSA of the attacker', () => token({ header: { alg: 'EdDSA' }, signature: signedBy(ed.privateKey, null) })],
    ['PS256', () => token({ header: { alg: 'PS256' }, signature: signedBy(rsa.privateKey, 'sha256') })],
    ['dir', () => token({ header: { alg: 'dir', enc: 'A256GCM' } })],
  ],
  'the key': [
    ['an empty secret', () => token({ secret: '' })],
    ['a guessed secret', () => token({ secret: 'secret' })],
    ['the kid as secret', () => token({ secret: 'current' })],
    ['the secret in hex', () => token({ secret: Buffer.from(SECRET).toString('hex') })],
    ['the secret with a newline', () => token({ secret: `${SECRET}\n` })],
    ['another kid’s secret', () => token({ secret: PREVIOUS }), () => token({ header: { kid: 'previous' }, secret: PREVIOUS })],
    ['our secret under another kid', () => token({ header: { kid: 'previous' } })],
    ['kid unknown', () => token({ header: { kid: 'next' } })],
    ['kid missing', () => token({ header: { kid: undefined } })],
    ['kid null', () => token({ header: { kid: null } })],
    ['kid 0', () => token({ header: { kid: 0 } })],
    ['kid true', () => token({ header: { kid: true } })],
    ['kid in an array', () => token({ header: { kid: ['current'] } })],
    ['kid in an object', () => token({ header: { kid: { toString: 'current' } } })],
    ['kid empty', () => token({ header: { kid: '' } })],
    ['kid in capitals', () => token({ header: { kid: 'CURRENT' } })],
    ['kid with a space', () => token({ header: { kid: 'current ' } })],
    ['kid with a NUL', () => token({ header: { kid: 'current\0' } })],
    ['kid a path to an empty file', () => token({ header: { kid: '../../../../dev/null' }, secret: '' })],
    ['kid a path to a known file', () => token({ header: { kid: '/proc/sys/kernel/randomize_va_space' }, secret: '2\n' })],
    ['kid SQL', () => token({ header: { kid: "' OR '1'='1" } })],
    ['kid SQL that names its secret', () => token({ header: { kid: `x' UNION SELECT '${ATTACKER}'--` }, secret: ATTACKER })],
    ['kid a command', () => token({ header: { kid: 'current|id' } })],
    ['kid __proto__', () => token({ header: { kid: '__proto__' }, secret: '[object Object]' })],
    ['kid constructor', () => token({ header: { kid: 'constructor' } })],
    ['kid an address', () => token({ header: { kid: 'https://attacker.example/key' }, secret: ATTACKER })],
    ['jku of the attacker', () => token({ header: { jku: 'https://attacker.example/jwks' }, secret: ATTACKER })],
    ['jku to our own server', () => token({ header: { jku: `${baseUrl}/v1/video` }, secret: ATTACKER })],
    ['jwk with the attacker’s secret', () => token({ header: { jwk: { kty: 'oct', k: base64url(ATTACKER) } }, secret: ATTACKER })],
    [
      'jwk with the attacker’s public key',
      () =>
        token({ header: { alg: 'RS256', jwk: rsa.publicKey.export({ format: 'jwk' }) }, signature: signedBy(rsa.privateKey, 'sha256') }),
    ],
    ['x5u', () => token({ header: { x5u: 'https://attacker.example/cert' }, secret: ATTACKER })],
    ['x5c', () => token({ header: { x5c: ['MIIB'] }, secret: ATTACKER })],
    ['jku, well signed', () => token({ header: { jku: 'https://attacker.example/jwks' } })],
    ['a harmless addition to the header, well signed', () => token({ header: { note: 'x' } })],
    ['crit with exp', () => token({ header: { crit: ['exp'], exp: 1 } })],
    ['crit of something unknown', () => token({ header: { crit: ['x'], x: 1 } })],
    ['crit empty', () => token({ header: { crit: [] } })],
    ['crit no array', () => token({ header: { crit: 'exp' } })],
    ['b64 false, critical', () => token({ header: { crit: ['b64'], b64: false } })],
    ['header an array', () => parts((_header, payload) => `pt_${base64url('["HS256"]')}.${payload}.${'A'.repeat(43)}`)],
    ['header no JSON', () => parts((_header, payload) => `pt_${base64url('alg: HS256')}.${payload}.${'A'.repeat(43)}`)],
  ],
  'the form': [
    ['no prefix', () => token().slice(3)],
    ['prefix twice', () => `pt_${token()}`],
    ['prefix in capitals', () => `PT_${token().slice(3)}`],
    ['prefix half in capitals', () => `Pt_${token().slice(3)}`],
    ['prefix with a dash', () => `pt-${token().slice(3)}`],
    ['prefix of a key', () => `ak_live_${token().slice(3)}`],
    ['prefix in full-width letters', () => `ｐｔ_${token().slice(3)}`],
    ['Bearer before it', () => `Bearer ${token()}`],
    ['the prefix alone', () => 'pt_'],
    ['two dots alone', () => 'pt_..'],
    ['no signature', () => parts((header, payload) => `pt_${header}.${payload}`)],
    ['an empty signature', () => parts((header, payload) => `pt_${header}.${payload}.`)],
    ['an empty payload', () => parts((header, _payload, signature) => `pt_${header}..${signature}`)],
    ['an empty header', () => parts((_header, payload, signature) => `pt_.${payload}.${signature}`)],
    ['a dot at the end', () => `${token()}.`],
    ['a fourth part', () => `${token()}.AAAA`],
    ['five parts, as a JWE has', () => parts((header, payload, signature) => `pt_${header}.${payload}.${payload}.${payload}.${signature}`)],
    ['a last character cut off', () => token().slice(0, -1)],
    ['half of it', () => token().slice(0, token().length / 2)],
    ['a first character cut off the header', () => `pt_${token().slice(4)}`],
    [
      'signature with one bit changed',
      () => parts((header, payload, signature) => `pt_${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`),
    ],
    ['signature in capitals', () => parts((header, payload, signature) => `pt_${header}.${payload}.${signature.toUpperCase()}`)],
    ['signature of zeros', () => token({ signature: 'A'.repeat(43) })],
    ['signature twice', () => parts((header, payload, signature) => `pt_${header}.${payload}.${signature}${signature}`)],
    [
      'signature of another video’s token',
      () => token({ signature: token({ claims: { videoId: otherVideoId } }).split('.')[2] }),
      () => token({ claims: { videoId: otherVideoId } }),
    ],
    [
      'payload for another video under the same signature',
      () => token({ claims: { videoId: otherVideoId }, signature: token().split('.')[2] }),
      () => token({ claims: { videoId: otherVideoId } }),
    ],
    ['a later expiry under the same signature', () => token({ claims: { exp: NOW + 3_000 }, signature: token().split('.')[2] })],
    ['padding after the signature', () => `${token()}=`],
    ['padding after the payload', () => parts((header, payload, signature) => `pt_${header}.${payload}==.${signature}`)],
    [
      'signature respelled in its unused bits',
      () => parts((header, payload, signature) => `pt_${header}.${payload}.${respelled(signature, 1)}`),
    ],
    [
      'signature respelled in the other bit',
      () => parts((header, payload, signature) => `pt_${header}.${payload}.${respelled(signature, 2)}`),
    ],
    ['signature respelled in both bits', () => parts((header, payload, signature) => `pt_${header}.${payload}.${respelled(signature, 3)}`)],
    [
      'signature in standard base64',
      () =>
        token({
          claims: { jti: 'x1' },
          signature: (signed) => `+/${createHmac('sha256', SECRET).update(signed).digest('base64url').slice(2)}`,
        }),
      () => token({ claims: { jti: 'x1' } }),
    ],
    ['a space before it', () => ` ${token()}`],
    ['a space after it', () => `${token()} `],
    ['a newline after it', () => `${token()}\n`],
    ['a carriage return after it', () => `${token()}\r`],
    ['a newline inside', () => token().replace('.', '.\n')],
    ['a tab inside', () => token().replace('.', '\t.')],
    ['a NUL after it', () => `${token()}\0`],
    ['a zero-width space inside', () => token().replace('.', '\u200b.')],
    ['a full-width dot', () => token().replace('.', '．')],
    ['an Arabic digit', () => `${token().slice(0, -2)}٠${token().at(-1)}`],
    ['a byte order mark before it', () => `\ufeff${token()}`],
    ['percent-encoded twice', () => encodeURIComponent(token()).replace('.', '%2E')],
    ['quotes around it', () => `"${token()}"`],
    ['a semicolon and more', () => `${token()};x=1`],
    ['a comma and itself', () => `${token()},${token()}`],
    ['a slash and itself', () => `${token()}/${token()}`],
    [
      'JSON serialisation, flattened',
      () => parts((header, payload, signature) => JSON.stringify({ payload, protected: header, signature })),
    ],
    [
      'JSON serialisation, general',
      () => parts((header, payload, signature) => JSON.stringify({ payload, signatures: [{ protected: header, signature }] })),
    ],
    [
      'JSON serialisation after the prefix',
      () => parts((header, payload, signature) => `pt_${JSON.stringify({ payload, protected: header, signature })}`),
    ],
    ['huge payload, well signed', () => token({ claims: { note: 'x'.repeat(2_000) } })],
    ['huge header, well signed', () => token({ header: { note: 'x'.repeat(2_000) } })],
    ['huge signature', () => `${token()}${'A'.repeat(8_000)}`],
    ['8,000 dots', () => `pt_${'.'.repeat(8_000)}`],
  ],
  'the claims, well signed': [
    ['aud of another', () => token({ claims: { aud: 'billing' } })],
    ['aud in other letters', () => token({ claims: { aud: 'Playback' } })],
    ['aud missing', () => token({ claims: { aud: undefined } })],
    ['aud null', () => token({ claims: { aud: null } })],
    ['aud empty', () => token({ claims: { aud: '' } })],
    ['aud an array of others', () => token({ claims: { aud: ['billing', 'dashboard'] } })],
    ['aud an array with ours in it', () => token({ claims: { aud: ['billing', 'playback'] } })],
    ['aud an empty array', () => token({ claims: { aud: [] } })],
    ['iss of another', () => token({ claims: { iss: 'https://attacker.example' } })],
    ['iss missing', () => token({ claims: { iss: undefined } })],
    ['iss null', () => token({ claims: { iss: null } })],
    ['iss an array with ours in it', () => token({ claims: { iss: ['reelgate'] } })],
    ['iss longer than ours', () => token({ claims: { iss: 'reelgate2' } })],
    ['videoId missing', () => token({ claims: { videoId: undefined } })],
    ['videoId null', () => token({ claims: { videoId: null } })],
    ['videoId a number', () => token({ claims: { videoId: 1 } })],
    ['videoId an array', () => token({ claims: { videoId: [videoId] } })],
    ['videoId an object', () => token({ claims: { videoId: { $ne: '' } } })],
    ['jti missing', () => token({ claims: { jti: undefined } })],
    ['jti a number', () => token({ claims: { jti: 1 } })],
    ['iat missing', () => token({ claims: { iat: undefined } })],
    ['iat text', () => token({ claims: { iat: String(NOW) } })],
    ['iat in milliseconds', () => token({ claims: { iat: NOW * 1000, exp: NOW * 1000 + 300 } })],
    ['iat with a fraction', () => token({ claims: { iat: NOW + 0.5, exp: NOW + 300.5 } })],
    ['iat in the future', () => token({ claims: { iat: NOW + 60, exp: NOW + 360 } })],
    ['exp missing', () => token({ claims: { exp: undefined } })],
    ['exp null', () => token({ claims: { exp: null } })],
    ['exp text', () => token({ claims: { exp: String(NOW + 300) } })],
    ['exp true', () => token({ claims: { exp: true } })],
    ['exp negative', () => token({ claims: { exp: -1 } })],
    ['exp 0', () => token({ claims: { exp: 0 } })],
    ['exp a second too late', () => token({ claims: { exp: NOW + 301 } })],
    ['exp a second too early', () => token({ claims: { exp: NOW + 299 } })],
    ['exp in a century', () => token({ claims: { exp: NOW + 3_155_760_000 } })],
    [
      'exp beyond integers',
      () => token({ payload: `{"videoId":"${videoId}","jti":"t","iss":"reelgate","aud":"playback","iat":${NOW},"exp":1e400}` }),
      () => token({ payload: `{"videoId":"${videoId}","jti":"t","iss":"reelgate","aud":"playback","iat":${NOW},"exp":${NOW + 300}}` }),
    ],
    ['a lifetime of a day, expired by it', () => token({ claims: { iat: NOW - 90_000, exp: NOW - 1 } }), () => token()],
    ['a harmless addition, well signed', () => token({ claims: { note: 'x' } })],
    ['nbf that has been', () => token({ claims: { nbf: NOW - 60 } })],
    ['nbf in the future', () => token({ claims: { nbf: NOW + 60 } })],
    ['nbf text', () => token({ claims: { nbf: 'soon' } })],
    ['payload an array', () => token({ payload: '[]' })],
    ['payload a string', () => token({ payload: '"token"' })],
    ['payload null', () => token({ payload: 'null' })],
    ['payload no JSON', () => token({ payload: 'videoId=1' })],
    ['payload no UTF-8', () => token({ payload: Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d) })],
    [
      'claims behind __proto__',
      () =>
        token({
          payload: `{"__proto__":{"videoId":"${videoId}"},"jti":"t","iss":"reelgate","aud":"playback","iat":${NOW},"exp":${NOW + 300}}`,
        }),
    ],
    [
      'expired a second ago',
      () => token({ claims: { iat: NOW - 301, exp: NOW - 1 } }),
      () => token({ claims: { iat: NOW - 299, exp: NOW + 1 } }),
      EXPIRED,
    ],
    [
      'expires this very second',
      () => token({ claims: { iat: NOW - 300, exp: NOW } }),
      () => token({ claims: { iat: NOW - 299, exp: NOW + 1 } }),
      EXPIRED,
    ],
    ['expired yesterday', () => token({ claims: { iat: NOW - 86_400, exp: NOW - 86_100 } }), () => token(), EXPIRED],
    ['expired in 1970', () => token({ claims: { iat: 0, exp: 300 } }), () => token(), EXPIRED],
    [
      'expired, and under a kid that signed before',
      () => token({ header: { kid: 'previous' }, secret: PREVIOUS, claims: { iat: NOW - 301, exp: NOW - 1 } }),
      () => token({ header: { kid: 'previous' }, secret: PREVIOUS }),
      EXPIRED,
    ],
    ['expired and forged: the forgery is told', () => token({ secret: ATTACKER, claims: { iat: NOW - 301, exp: NOW - 1 } })],
    ['expired and for another service: that is told', () => token({ claims: { iss: 'other', iat: NOW - 301, exp: NOW - 1 } })],
    ['a video that never was', () => token({ claims: { videoId: 'vid_never' } }), () => token(), 'VIDEO_NOT_FOUND'],
    ['a video id with SQL in it', () => token({ claims: { videoId: "' OR 1=1--" } })],
    ['a video id with a NUL in it', () => token({ claims: { videoId: 'vid_\0' } })],
    [
      'iat a little ahead, as clocks are',
      () => token({ claims: { iat: NOW + 6, exp: NOW + 306 } }),
      () => token({ claims: { iat: NOW + 5, exp: NOW + 305 } }),
    ],
  ],
}

const exchange = (path: string) => send(`${baseUrl}/v1/video/playback/manifest/${path}`)

async function expectRefused(path: string, code: string) {
  const { status, headers, body } = await exchange(path)
  expect({ status, code: JSON.parse(body).error?.code }).toEqual({ status: code === 'VIDEO_NOT_FOUND' ? 404 : 401, code })
  expect(headers['content-type']).toBe('application/json')
}

test('there are many attacks', () => expect(Object.values(ATTACKS).flat().length).toBeGreaterThan(150))

describe.each(Object.entries(ATTACKS))('%s', (_what, rows) => {
  test.each(rows)('%s', async (_name, attack, twin = () => token(), code = INVALID) => {
    await expectRefused(encodeURIComponent(attack()), code)
    expect(await exchange(encodeURIComponent(twin()))).toMatchObject({ status: 200 })
    expect(attack()).not.toBe(twin())
  })
})

describe('beside the token', () => {
  const cases: [string, (path: string) => string, string][] = [
    ['another video asked for', (path) => `${path}?videoId=${otherVideoId}`, INVALID],
    ['another video asked for, and then ours', (path) => `${path}?videoId=${otherVideoId}&videoId=`, INVALID],
    ['an empty video asked for', (path) => `${path}?videoId=`, INVALID],
    ['the prefix of the video asked for', (path) => `${path}?videoId=${videoId.slice(0, -1)}`, INVALID],
  ]
  test.each(cases)('%s', async (_name, asked, code) => {
    await expectRefused(asked(token()), code)
    expect((await exchange(`${token()}?videoId=${videoId}`)).status).toBe(200)
  })

  test('a token in the query, a header or a cookie is none', async () => {
    const { status } = await send(`${baseUrl}/v1/video/playback/manifest/x?token=${token()}`, {
      headers: { authorization: `Bearer ${token()}`, cookie: `token=${token()}`, 'x-playback-token': token() },
    })
    expect(status).toBe(401)
  })

  test('a session of the dashboard is no playback token', async () => {
    const session = await encode({ token: { videoId, iss: 'reelgate', aud: 'playback', jti: 'x' }, secret: sessionSecret() })
    await expectRefused(session, INVALID)
    await expectRefused(`pt_${session}`, INVALID)
  })

  test('percent-encoding alone changes nothing: it is the same address', async () => {
    const spelled = [...token()].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')
    expect((await exchange(spelled)).status).toBe(200)
  })
})

test('10,000 changes of a good token: none is accepted, each is told to be invalid', async () => {
  const good = token()
  const character = fc.constantFrom(
    ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
    '.',
    '=',
    '%',
    '+',
    '/',
    ' ',
    'é',
    '\0',
  )
  const position = fc.nat(good.length - 1)
  const edit = fc.oneof(
    fc.tuple(position, character).map(
      ([at, one]) =>
        (text: string) =>
          text.slice(0, at) + one + text.slice(at + 1),
    ),
    fc.tuple(position, character).map(
      ([at, one]) =>
        (text: string) =>
          text.slice(0, at) + one + text.slice(at),
    ),
    position.map((at) => (text: string) => text.slice(0, at) + text.slice(at + 1)),
    position.map((at) => (text: string) => text.slice(0, at)),
    fc.tuple(position, position).map(
      ([a, b]) =>
        (text: string) =>
          text.slice(0, a) + text.slice(b),
    ),
    fc.tuple(position, position).map(([a, b]) => (text: string) => {
      const swapped = [...text]
      ;[swapped[a], swapped[b]] = [swapped[b] as string, swapped[a] as string]
      return swapped.join('')
    }),
    fc.shuffledSubarray([0, 1, 2]).map((order) => (text: string) => `pt_${order.map((part) => text.slice(3).split('.')[part]).join('.')}`),
  )
  const changed = fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) => edits.reduce((text, one) => one(text), good))
  const tokens = fc.sample(
    changed.filter((text) => text !== good),
    10_000,
  )
  const answers: Record<string, number> = {}
  await Promise.all(
    tokens.map(async (text) => {
      const { status, body } = await exchange(encodeURIComponent(text))
      const answer = `${status} ${JSON.parse(body).error?.code}`
      answers[answer] = (answers[answer] ?? 0) + 1
    }),
  )
  // An empty last segment is another address.
  const { '404 NOT_FOUND': elsewhere = 0, ...rest } = answers
  expect(rest).toEqual({ [`401 ${INVALID}`]: 10_000 - elsewhere })
  expect(elsewhere).toBe(tokens.filter((text) => text === '').length)
  expect((await exchange(good)).status).toBe(200)
})
