/** Values of `VIDEO-RANGE` (RFC 8216bis §4.4.6.2). */
export type DynamicRange = 'SDR' | 'PQ' | 'HLG'

/** The parts of an AV1 codec string in its long form, up to the transfer characteristics (AV1 in ISOBMFF §5). */
const TRANSFER = /^av01\.\d\.\d\d[MH]\.\d\d\.\d\.\d{3}\.\d\d\.(\d\d)\./
/** Transfer characteristics of HDR (ISO/IEC 23091-2). */
const RANGES: Record<string, DynamicRange> = { '16': 'PQ', '18': 'HLG' }

/** Returns the dynamic range of a picture from its codec string (RFC 6381). HDR pictures state it; all others are SDR. */
export const dynamicRangeOf = (codecs: string): DynamicRange => RANGES[TRANSFER.exec(codecs)?.[1] ?? ''] ?? 'SDR'
