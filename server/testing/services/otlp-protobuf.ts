import type { ReceivedSpan } from '../collector.ts'

/** Fields of one message of protobuf by number, in order: numbers of varints, and bytes of everything else. */
type Fields = Map<number, (bigint | Buffer)[]>

/** Reads one message in protobuf's wire format. Throws on groups, which are obsolete, and on a message that is cut. */
function fieldsOf(bytes: Buffer): Fields {
  const fields: Fields = new Map()
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error('A message of protobuf is cut.')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const wireType = tag & 7
    if (![0, 1, 2, 5].includes(wireType)) throw new Error(`Protobuf has no wire type ${wireType}.`)
    const value = wireType === 0 ? varint() : take(wireType === 1 ? 8 : wireType === 5 ? 4 : Number(varint()))
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value])
  }
  return fields
}

const bytesOf = (fields: Fields, number: number) => (fields.get(number)?.[0] ?? Buffer.alloc(0)) as Buffer
const textOf = (fields: Fields, number: number) => bytesOf(fields, number).toString()
const numberOf = (fields: Fields, number: number) => Number(fields.get(number)?.[0] ?? 0)
const messagesOf = (fields: Fields, number: number) => (fields.get(number) ?? []).map((one) => fieldsOf(one as Buffer))

/** Returns attributes (KeyValue) as plain values; those of an array are undefined. */
const attributesOf = (fields: Fields, number: number) =>
  Object.fromEntries(messagesOf(fields, number).map((pair) => [textOf(pair, 1), plainValueOf(fieldsOf(bytesOf(pair, 2)))]))

function plainValueOf(any: Fields): unknown {
  if (any.has(1)) return textOf(any, 1)
  if (any.has(2)) return numberOf(any, 2) === 1
  if (any.has(3)) return numberOf(any, 3)
  return any.has(4) ? bytesOf(any, 4).readDoubleLE() : undefined
}

/** Reads an ExportTraceServiceRequest of OTLP 1. */
export function readOtlpProtobuf(body: Buffer): { resource: Record<string, unknown>; spans: ReceivedSpan[] } {
  const [resourceSpans = new Map()] = messagesOf(fieldsOf(body), 1)
  const spans = messagesOf(resourceSpans, 2).flatMap((scopeSpans) => messagesOf(scopeSpans, 2))
  const [resource = new Map()] = messagesOf(resourceSpans, 1)
  return { resource: attributesOf(resource, 1), spans: spans.map(spanOf) }
}

const spanOf = (span: Fields): ReceivedSpan => ({
  name: textOf(span, 5),
  kind: numberOf(span, 6),
  traceId: bytesOf(span, 1).toString('hex'),
  spanId: bytesOf(span, 2).toString('hex'),
  parentSpanId: bytesOf(span, 4).toString('hex') || undefined,
  attributes: attributesOf(span, 9),
  links: messagesOf(span, 13).map((link) => ({ traceId: bytesOf(link, 1).toString('hex'), spanId: bytesOf(link, 2).toString('hex') })),
  failed: messagesOf(span, 15).some((status) => numberOf(status, 3) === 2),
})
