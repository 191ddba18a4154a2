import { LIMITS, type LimitName } from '#server/limits'
import { formatBytes, formatCount } from '../../../../_ui/format'

const GB = 1e9

/** Whether a limit is one of bytes; people enter these in GB. */
export const isBytes = (name: LimitName): boolean => (LIMITS[name].unit as string) === 'bytes'

/** A limit's value for people: 500 GB, 10,000. */
export const inUnit = (name: LimitName, value: number): string => (isBytes(name) ? formatBytes(value) : formatCount(value))

/** What a field shows for a value, and the value that was entered. */
export const toField = (name: LimitName, value: number): number => (isBytes(name) ? value / GB : value)
export const fromField = (name: LimitName, entered: number): number => (isBytes(name) ? Math.round(entered * GB) : entered)
