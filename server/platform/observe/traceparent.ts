/** The position of a span in its trace, as it is passed between processes (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  /** Bit 0: whether the caller records the trace. */
  traceFlags: number
}

const FORM = /^([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Parses a header `traceparent`. Returns undefined where Trace Context (W3C) says that it is ignored. */
export function parseTraceparent(text: string | null | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = FORM.exec(text ?? '') ?? []
  // Later versions may append parts; version 00 has none, and ff is invalid.
  if (!traceId || !spanId || version === 'ff' || (version === '00' && more)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags as string, 16) & 1 }
}

/** Returns a position as text: 55 characters of which none needs quoting. */
export const formatTraceparent = ({ traceId, spanId, traceFlags }: TraceContext): string =>
  `00-${traceId}-${spanId}-${traceFlags & 1 ? '01' : '00'}`
