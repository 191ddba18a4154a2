import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { ATTACKER, attackedServer, base64url, PREVIOUS, parts, SECRET, token } from '../../testing/forged-tokens.ts'

const { baseUrl, tryAll } = await attackedServer()

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')
const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string
const signedBy = (key: KeyObject, algorithm: string | null) => (signed: string) =>
  sign(algorithm, Buffer.from(signed), key).toString('base64url')

tryAll('the algorithm', [
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
])

tryAll('the key', [
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
    () => token({ header: { alg: 'RS256', jwk: rsa.publicKey.export({ format: 'jwk' }) }, signature: signedBy(rsa.privateKey, 'sha256') }),
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
])
