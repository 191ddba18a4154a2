import { LIMITS, type LimitName } from '#server/limits'
import { formatBytes, formatCount } from '../../_ui/format'

const GB = 1e9

/** Returns whether a limit is in bytes; fields show these in GB. */
export const isBytes = (name: LimitName): boolean => (LIMITS[name].unit as string) === 'bytes'

/** Formats a limit's value: 500 GB, 10,000. */
export const inUnit = (name: LimitName, value: number): string => (isBytes(name) ? formatBytes(value) : formatCount(value))

/** Convert a limit's value to its form field's value and back. */
export const toField = (name: LimitName, value: number): number => (isBytes(name) ? value / GB : value)
export const fromField = (name: LimitName, entered: number): number => (isBytes(name) ? Math.round(entered * GB) : entered)
