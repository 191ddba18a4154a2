// Verifies a receipt of a Reelgate service with node:crypto alone, and without a connection where the keys are in a file.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const FORMAT = 'reelgate-receipt-1'
const TYPE = 'reelgate-receipt+jwt'
const MOST_BYTES = 5_000_000
/** How far the issuer's clock may be ahead of this machine's. */
const LEEWAY_SEC = 300

/** A receipt that is not to be believed, or could not be looked at; the message says why. */
export class Refused extends Error {}

/**
 * Reads the receipt in `file` and verifies it: form, algorithm, type, key, signature, issuer, and that the readable part is
 * what was signed. `jwks`: file or address of the public keys; left out, they are fetched from the issuer that the receipt names.
 * `issuer`: the only address it may be from. Answers `{ receipt, kid, keysFrom }`. Errors: Refused.
 */
export async function verifyReceipt(file, { jwks, issuer } = {}) {
  const { jws, readable } = split((await read(file)).trim())
  const { header, payload, signed, signature } = parse(jws)
  if (header.alg !== 'EdDSA') throw new Refused(`It is signed with ${header.alg}, not with EdDSA.`)
  if (header.typ !== TYPE) throw new Refused(`It is a ${header.typ ?? 'JWS without a type'}, not a ${TYPE}.`)
  const others = Object.keys(header).filter((name) => !['alg', 'kid', 'typ'].includes(name))
  if (others.length > 0) throw new Refused(`Its header holds ${others.join(', ')}, which no receipt does.`)
  if (typeof payload.iss !== 'string' || !URL.canParse(payload.iss)) throw new Refused('It names no issuer.')
  if (issuer !== undefined && payload.iss !== issuer.replace(/\/+$/, ''))
    throw new Refused(`It is from ${payload.iss}, not from ${issuer}.`)
  const keysFrom = jwks ?? `${payload.iss}/.well-known/jwks.json`
  const key = keyOf(await read(keysFrom), header.kid, keysFrom)
  if (!verify(null, Buffer.from(signed), createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' }), signature))
    throw new Refused('Its signature does not fit: it was changed, or signed by another key.')
  if (key.iss === undefined && issuer === undefined)
    throw new Refused('The keys do not say whose they are. Name the issuer: --issuer https://…')
  if (key.iss !== undefined && key.iss !== payload.iss) throw new Refused(`Its key signs for ${key.iss}, not for ${payload.iss}.`)
  if (!Number.isSafeInteger(payload.iat) || payload.iat > Date.now() / 1_000 + LEEWAY_SEC) throw new Refused('It is from the future.')
  if (readable !== undefined && sorted(readable) !== sorted(payload))
    throw new Refused('Its readable part differs from what was signed: the file was changed.')
  return { receipt: payload, kid: header.kid, keysFrom }
}

/** A file as it is downloaded, or the JWS alone. */
function split(text) {
  if (!text.startsWith('{')) return { jws: text }
  const { format, jws, receipt } = jsonOf(text, 'The file')
  if (format !== FORMAT || typeof jws !== 'string' || Object(receipt) !== receipt) throw new Refused(`The file is no receipt (${FORMAT}).`)
  return { jws, readable: receipt }
}

function parse(jws) {
  const parts = jws.split('.')
  if (parts.length !== 3) throw new Refused('The file holds no receipt: neither its JSON form nor a compact JWS.')
  const [header, payload, signature] = parts.map(bytesOf)
  if (signature.length !== 64) throw new Refused('Its signature has not the length of one.')
  return {
    header: jsonOf(header, 'Its header'),
    payload: jsonOf(payload, 'What was signed'),
    signed: `${parts[0]}.${parts[1]}`,
    signature,
  }
}

function bytesOf(part) {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) throw new Refused('It is not spelled as a JWS is (base64url without padding).')
  return bytes
}

function keyOf(text, kid, from) {
  const { keys } = jsonOf(text, `${from}`)
  if (!Array.isArray(keys)) throw new Refused(`${from} holds no keys (a JWK set).`)
  const named = keys.filter((key) => key?.kid === kid && typeof kid === 'string')
  if (named.length !== 1) throw new Refused(`${from} holds ${named.length === 0 ? 'no key' : 'several keys'} named ${kid}.`)
  const [key] = named
  const isOurs = key.kty === 'OKP' && key.crv === 'Ed25519' && /^[\w-]{43}$/.test(key.x ?? '')
  if (!isOurs || (key.alg ?? 'EdDSA') !== 'EdDSA' || (key.use ?? 'sig') !== 'sig')
    throw new Refused(`The key ${kid} is none that signs receipts.`)
  // RFC 7638: a key's name is made of the key, so that no other can go by it.
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ crv: key.crv, kty: key.kty, x: key.x }))
    .digest('base64url')
  if (thumbprint !== kid) throw new Refused(`The key ${kid} is not the one that this name was made of.`)
  return key
}

function jsonOf(text, what) {
  let value
  try {
    value = JSON.parse(text.toString())
  } catch {
    throw new Refused(`${what} is not JSON.`)
  }
  if (Object(value) !== value || Array.isArray(value)) throw new Refused(`${what} is no JSON object.`)
  return value
}

/** JSON in which the order of an object's fields plays no part. */
const sorted = (value) =>
  JSON.stringify(value, (_, inner) =>
    Object(inner) === inner && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

async function read(from) {
  if (!/^https?:\/\//.test(from)) {
    return readFile(from, 'utf8').catch((error) => {
      throw new Refused(`${from} cannot be read (${error.code}).`)
    })
  }
  const { protocol, hostname } = new URL(from)
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    throw new Refused(`Keys are fetched over https alone, not from ${from}. Save them and give the file: --jwks FILE`)
  let response
  try {
    response = await fetch(from, { redirect: 'error', signal: AbortSignal.timeout(15_000) })
  } catch (error) {
    throw new Refused(
      `${from} cannot be reached (${error.cause?.code ?? error.message}). Without a connection, give saved keys: --jwks FILE`,
    )
  }
  const text = await response.text()
  if (!response.ok || text.length > MOST_BYTES) throw new Refused(`${from} answers ${response.status}, not with keys.`)
  return text
}
