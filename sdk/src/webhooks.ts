import type { Event } from './generated/types.gen.js'

/** The request is not a webhook of the service. Do not process it; respond with 400. */
export class ReelgateSignatureError extends Error {
  override readonly name = 'ReelgateSignatureError'
}

export interface ConstructEventOptions {
  /** How many seconds the time of the signature may differ from the clock. Defaults to 300. */
  toleranceSec?: number
}

const CLOCKS = 'Check the clocks of this machine and of the service.'

const encoder = new TextEncoder()

/**
 * Verifies the header `X-Service-Signature` of a webhook and returns its event, which you narrow by `eventType`. `body` is the raw body,
 * before any parser. `secret` may be a list. Throws ReelgateSignatureError if the signature is missing, wrong, too old or from the future.
 */
export async function constructEvent(
  body: string | Uint8Array,
  header: string | null | undefined,
  secret: string | readonly string[],
  { toleranceSec = 300 }: ConstructEventOptions = {},
): Promise<Event> {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('body must be the raw body, as a string or bytes. Read it before a parser such as express.json().')
  const secrets = [secret].flat().filter((one) => typeof one === 'string' && one !== '')
  if (secrets.length === 0) throw new TypeError('secret must be the signing secret of the endpoint (whsec_…).')
  // In browsers, it exists only on pages over https.
  if (!globalThis.crypto?.subtle) throw new Error('Verify webhooks on a server: Web Crypto is missing here.')
  const { time, signatures } = parseHeader(header)
  const ageSec = Math.round(Date.now() / 1000 - time)
  if (ageSec > toleranceSec) throw new ReelgateSignatureError(`The signature is too old: ${ageSec} s. ${CLOCKS}`)
  if (-ageSec > toleranceSec) throw new ReelgateSignatureError(`The signature is from the future: ${-ageSec} s ahead. ${CLOCKS}`)
  const raw = typeof body === 'string' ? encoder.encode(body) : body
  const signed = new Uint8Array([...encoder.encode(`${time}.`), ...raw])
  for (const one of secrets) {
    const key = await crypto.subtle.importKey('raw', encoder.encode(one), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, signed)) return parseEvent(raw)
  }
  throw new ReelgateSignatureError('The signature does not match. Check the secret, and that the body is raw.')
}

function parseHeader(header: string | null | undefined): { time: number; signatures: Uint8Array<ArrayBuffer>[] } {
  if (!header) throw new ReelgateSignatureError('The request has no X-Service-Signature header.')
  const parts = header.split(',').map((part) => part.trim().split('='))
  const time = Number(parts.find(([name]) => name === 't')?.[1] ?? Number.NaN)
  const hex = parts.flatMap(([name, value = '']) => (name === 'v1' && /^[0-9a-f]{64}$/i.test(value) ? [value] : []))
  if (!Number.isInteger(time) || hex.length === 0) throw new ReelgateSignatureError('The X-Service-Signature header is malformed.')
  return { time, signatures: hex.map((value) => Uint8Array.from(value.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))) }
}

function parseEvent(raw: Uint8Array): Event {
  try {
    return JSON.parse(new TextDecoder().decode(raw)) as Event
  } catch (cause) {
    throw new ReelgateSignatureError('The body is not JSON.', { cause })
  }
}

export const webhooks = { constructEvent }
