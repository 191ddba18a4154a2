import { type DeflatedPart, deflate, gzipOf } from '../platform/files/gzip-parts.ts'
import type { MaybePromise } from '../platform/maybe-promise.ts'
import { matchesEtag, namedEtags } from '../platform/network/etag.ts'
import { sha256 } from '../platform/secrets/crypto.ts'
import { currentSubject } from '../platform/turns/caller.ts'
import { processorJob, waitingForProcessor } from '../platform/turns/processor.ts'
import type { Call, Reply } from './reply.ts'

/** Part of a text that several responses contain. Compressed and hashed once per object. */
export interface SharedText {
  lines: string
}

interface Text {
  contentType: string
  parts: readonly (string | SharedText)[]
  /** What the validator states besides the hash. A caller sends it back in If-None-Match. */
  label?: string
}

/** A smaller text fits, uncompressed, in the packet of its headers. */
const LEAST_COMPRESSED = 1_024
/** A thread compresses a larger part, at some 30 ms per megabyte. A smaller part takes less time than handing it to the thread. */
const LARGE = 64 * 1024

const deflateInThread = processorJob<typeof deflate>('platform/files/gzip-parts.ts', 'deflate')

/**
 * Returns a text that a cache revalidates before each use: 200, with gzip if the caller accepts it, or 304. The validator is weak: it is
 * the same for both encodings. Errors: TurnRefused when too many texts are being compressed.
 */
export function textReply(call: Call, { contentType, parts, label }: Text): MaybePromise<Reply> {
  const packed = parts.map((part) => (typeof part === 'string' ? pack(part) : packShared(part)))
  const hash = sha256(Buffer.concat(packed.map(({ digest }) => digest)))
    .subarray(0, 16)
    .toString('base64url')
  const etag = `"${label === undefined ? hash : `${hash}.${label}`}"`
  const headers: Record<string, string> = { 'Cache-Control': 'no-cache', ETag: `W/${etag}`, Vary: 'Accept-Encoding' }
  if (matchesEtag(call.header('if-none-match'), etag)) return { status: 304, headers, body: null }
  headers['Content-Type'] = contentType
  const bytes = packed.reduce((sum, part) => sum + part.bytes.length, 0)
  if (bytes < LEAST_COMPRESSED || !acceptsGzip(call.header('accept-encoding')))
    return { status: 200, headers, body: joined(packed.map((part) => part.bytes)) }
  headers['Content-Encoding'] = 'gzip'
  const send = (deflated: readonly DeflatedPart[]): Reply => ({ status: 200, headers, body: gzipOf(deflated) })
  const deflated = packed.map((part) => part.deflated())
  return deflated.every((part) => 'bytes' in part) ? send(deflated) : Promise.all(deflated).then(send)
}

/** Returns the parts as one. A single part is not copied: copies of captions of megabytes would keep the garbage collector busy. */
const joined = (parts: readonly Buffer[]): Buffer => (parts.length === 1 && parts[0]) || Buffer.concat(parts)

/** Returns the label of the validator that a caller holds. */
export function heldLabel(call: Call): string | undefined {
  const labels = namedEtags(call.header('if-none-match')).map((etag) => /^"[\w-]+\.(\w{1,20})"$/.exec(etag)?.[1])
  return labels.find((label) => label !== undefined)
}

interface Packed {
  bytes: Buffer
  digest: Buffer
  deflated(): MaybePromise<DeflatedPart>
}

function pack(text: string): Packed {
  const bytes = Buffer.from(text)
  let deflated: MaybePromise<DeflatedPart> | undefined
  let begunBy = ''
  const keep = (made: Uint8Array) => {
    deflated = { bytes, deflated: made }
    return deflated
  }
  const forget = (error: unknown) => {
    deflated = undefined
    throw error
  }
  return {
    bytes,
    digest: sha256(bytes),
    deflated() {
      if (bytes.length <= LARGE) deflated ??= keep(deflate(bytes))
      // Not in the turns of another waiting group.
      else if (!deflated || (deflated instanceof Promise && begunBy !== currentSubject()[0] && waitingForProcessor(begunBy) > 0)) {
        begunBy = currentSubject()[0]
        deflated = deflateInThread(bytes).then(keep, forget)
      }
      return deflated
    },
  }
}

/** By object. A second copy in the pages' module graph packs the same texts. */
const shared = new WeakMap<SharedText, Packed>()

function packShared(text: SharedText): Packed {
  const packed = shared.get(text) ?? pack(text.lines)
  shared.set(text, packed)
  return packed
}

/** Returns whether gzip is among the accepted codings (RFC 9110 §12.5.3). Without the header, unencoded text is the safe choice. */
export function acceptsGzip(header: string | undefined): boolean {
  const codings = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.split(';').map((part) => part.trim()))
  const quality = (name: string) => {
    const found = codings.find(([coding]) => coding === name)
    return found && Number(/^q=([\d.]+)$/.exec(found[1] ?? 'q=1')?.[1] ?? 0)
  }
  return (quality('gzip') ?? quality('*') ?? 0) > 0
}
