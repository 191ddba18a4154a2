// Verifies a receipt of a Reelgate service with node:crypto alone, and without a connection where the keys are in a file.
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const FORMAT = 'reelgate-receipt-1'
const TYPE = 'reelgate-receipt+jwt'
const MOST_BYTES = 5_000_000
/** How far the issuer's clock may be ahead of this machine's. */
const LEEWAY_SEC = 300

/** A receipt is invalid or could not be read. The message gives the reason. */
export class Refused extends Error {}

/**
 * Reads the receipt in `file` and verifies it: form, algorithm, type, key, signature, issuer, and that the readable part is
 * what was signed. `jwks`: file or address of the public keys; left out, they are fetched from the issuer that the receipt names.
 * `issuer`: the only address it may be from. Answers `{ receipt, kid, keysFrom }`. Errors: Refused.
 */
export async function verifyReceipt(file, { jwks, issuer } = {}) {
  const { jws, readable } = split((await read(file)).trim())
  const { header, payload, signed, signature } = parse(jws)
  if (header.alg !== 'EdDSA') throw new Refused(`The signature algorithm is ${header.alg}, not EdDSA.`)
  if (header.typ !== TYPE) throw new Refused(`The type is ${header.typ ?? 'missing'}, not ${TYPE}.`)
  const others = Object.keys(header).filter((name) => !['alg', 'kid', 'typ'].includes(name))
  if (others.length > 0) throw new Refused(`The header contains unexpected fields: ${others.join(', ')}.`)
  if (typeof payload.iss !== 'string' || !URL.canParse(payload.iss)) throw new Refused('The issuer is missing.')
  if (issuer !== undefined && payload.iss !== issuer.replace(/\/+$/, '')) throw new Refused(`The issuer is ${payload.iss}, not ${issuer}.`)
  const keysFrom = jwks ?? `${payload.iss}/.well-known/jwks.json`
  const key = keyOf(await read(keysFrom), header.kid, keysFrom)
  if (!verify(null, Buffer.from(signed), createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.x }, format: 'jwk' }), signature))
    throw new Refused('The signature does not match: the receipt was changed, or signed with another key.')
  if (key.iss === undefined && issuer === undefined) throw new Refused('The keys do not name an issuer. Specify one: --issuer https://…')
  if (key.iss !== undefined && key.iss !== payload.iss) throw new Refused(`The key belongs to ${key.iss}, not to ${payload.iss}.`)
  if (!Number.isSafeInteger(payload.iat) || payload.iat > Date.now() / 1_000 + LEEWAY_SEC)
    throw new Refused('The issue time is in the future.')
  if (readable !== undefined && sorted(readable) !== sorted(payload))
    throw new Refused('The readable part differs from the signed content: the file was changed.')
  return { receipt: payload, kid: header.kid, keysFrom }
}

/** Splits a downloaded file, or a bare JWS. */
function split(text) {
  if (!text.startsWith('{')) return { jws: text }
  const file = jsonOf(text, 'The file')
  // A response of the API holds the file as its data.
  const { format, jws, receipt } = Object(file.data) === file.data ? file.data : file
  if (format !== FORMAT || typeof jws !== 'string' || Object(receipt) !== receipt)
    throw new Refused(`The file is not a receipt (${FORMAT}).`)
  return { jws, readable: receipt }
}

function parse(jws) {
  const parts = jws.split('.')
  if (parts.length !== 3) throw new Refused('The file is not a receipt: it is neither a JSON receipt nor a compact JWS.')
  const [header, payload, signature] = parts.map(bytesOf)
  if (signature.length !== 64) throw new Refused('The signature has an invalid length.')
  return {
    header: jsonOf(header, 'The header'),
    payload: jsonOf(payload, 'The signed content'),
    signed: `${parts[0]}.${parts[1]}`,
    signature,
  }
}

function bytesOf(part) {
  const bytes = Buffer.from(part, 'base64url')
  if (bytes.toString('base64url') !== part) throw new Refused('The JWS is not valid base64url without padding.')
  return bytes
}

function keyOf(text, kid, from) {
  const { keys } = jsonOf(text, `${from}`)
  if (!Array.isArray(keys)) throw new Refused(`${from} is not a JWK set.`)
  const named = keys.filter((key) => key?.kid === kid && typeof kid === 'string')
  if (named.length !== 1) throw new Refused(`${from} contains ${named.length === 0 ? 'no key' : 'several keys'} with the id ${kid}.`)
  const [key] = named
  const isOurs = key.kty === 'OKP' && key.crv === 'Ed25519' && /^[\w-]{43}$/.test(key.x ?? '')
  if (!isOurs || (key.alg ?? 'EdDSA') !== 'EdDSA' || (key.use ?? 'sig') !== 'sig')
    throw new Refused(`The key ${kid} is not a receipt signing key.`)
  // RFC 7638: the key id is the thumbprint of the key, so that no other key can have it.
  const thumbprint = createHash('sha256')
    .update(JSON.stringify({ crv: key.crv, kty: key.kty, x: key.x }))
    .digest('base64url')
  if (thumbprint !== kid) throw new Refused(`The key ${kid} does not match its id (RFC 7638 thumbprint).`)
  return key
}

function jsonOf(text, what) {
  let value
  try {
    value = JSON.parse(text.toString())
  } catch {
    throw new Refused(`${what} is not JSON.`)
  }
  if (Object(value) !== value || Array.isArray(value)) throw new Refused(`${what} is not a JSON object.`)
  return value
}

/** Returns JSON with the fields of objects sorted. */
const sorted = (value) =>
  JSON.stringify(value, (_, inner) =>
    Object(inner) === inner && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

async function read(from) {
  if (!/^https?:\/\//.test(from)) {
    const bytes = await readFile(from).catch((error) => {
      throw new Refused(`${from} cannot be read (${error.code}).`)
    })
    // Windows PowerShell writes the output of a program as UTF-16.
    return new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes)
  }
  const { protocol, hostname } = new URL(from)
  if (protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    throw new Refused(`Keys are fetched only over https, not from ${from}. Save them to a file and use --jwks FILE.`)
  let response
  try {
    response = await fetch(from, { redirect: 'error', signal: AbortSignal.timeout(15_000) })
  } catch (error) {
    throw new Refused(
      `${from} cannot be reached (${error.cause?.code ?? error.message}). To verify offline, save the keys to a file and use --jwks FILE.`,
    )
  }
  const text = await response.text()
  if (!response.ok || text.length > MOST_BYTES) throw new Refused(`${from} returned ${response.status} instead of keys.`)
  return text
}
