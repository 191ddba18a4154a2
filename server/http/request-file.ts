import { ServiceError } from '../errors.ts'
import { bodySec } from './bound-body.ts'
import { type Call, refuseEncodedBody, tooLarge } from './reply.ts'

/** A file that an operation accepts as its body. */
export interface FileContract {
  /** Media types that it accepts, besides `application/octet-stream` and a request without a type. The content decides what it is. */
  types: readonly string[]
  maxBytes: number
  description: string
}

/** Returns a file's media types as the description lists them. */
export const fileTypes = ({ types }: FileContract): string[] => [...types, 'application/octet-stream']

/** Reads a call's file. Errors: UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, INVALID_REQUEST for an empty file. */
export async function readFile(file: FileContract, call: Call): Promise<Buffer> {
  const type = call.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type && !fileTypes(file).includes(type)) throw unsupported(`Send the file with one of these types: ${fileTypes(file).join(', ')}.`)
  refuseEncodedBody(call.header('content-encoding'))
  const bytes = await call.file(file.maxBytes)
  if (bytes.length > 0) return bytes
  const message = 'The body is empty. Send the file as the body.'
  throw new ServiceError('INVALID_REQUEST', { details: [{ in: 'body', path: '', message }] })
}

const unsupported = (message: string) => new ServiceError('UNSUPPORTED_MEDIA_TYPE', { message })

/** How often a body is checked for its pace within `bodySec`, and how many checks pass before it counts. */
const CHECKS = 60
const GRACE = 5

/**
 * Collects a body chunk by chunk. It must keep the pace of the largest one within `bodySec`, because a slow body occupies a place that
 * others are waiting for. Errors: PAYLOAD_TOO_LARGE beyond `maxBytes`, REQUEST_TIMEOUT if the client leaves or is too slow.
 */
export async function collectFile(parts: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const received: Uint8Array[] = []
  let bytes = 0
  const { promise: late, reject } = Promise.withResolvers<never>()
  let checks = 0
  // By the number of checks, not the clock: a delay of this process delays the checks, too.
  const check = () => ++checks - GRACE > (CHECKS * bytes) / maxBytes && reject(cutShort())
  const timer = setInterval(check, (bodySec() * 1_000) / CHECKS)
  const iterator = parts[Symbol.asyncIterator]()
  const next = () =>
    iterator.next().catch(() => {
      throw cutShort()
    })
  try {
    for (;;) {
      const { done, value } = await Promise.race([next(), late])
      if (done) return Buffer.concat(received)
      bytes += value.byteLength
      if (bytes > maxBytes) throw tooLarge()
      received.push(value)
    }
  } finally {
    clearInterval(timer)
    // Nothing awaits a chunk that arrives later.
    late.catch(() => {})
  }
}

const cutShort = () => new ServiceError('REQUEST_TIMEOUT', { headers: { Connection: 'close' } })
