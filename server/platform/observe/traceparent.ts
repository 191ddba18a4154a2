/** A span's position in its trace, as processes pass it on (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  /** Bit 0: whether the caller records the trace. */
  traceFlags: number
}

const FORM = /^([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Parses a `traceparent` header. Undefined where W3C Trace Context says to ignore it. */
export function parseTraceparent(text: string | null | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = FORM.exec(text ?? '') ?? []
  // Later versions may append parts. Version 00 has none, and ff is invalid.
  if (!traceId || !spanId || version === 'ff' || (version === '00' && more)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags as string, 16) & 1 }
}

/** Returns a position as text: 55 characters, none of which needs quoting. */
export const formatTraceparent = ({ traceId, spanId, traceFlags }: TraceContext): string =>
  `00-${traceId}-${spanId}-${traceFlags & 1 ? '01' : '00'}`
