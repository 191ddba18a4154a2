import { testValue } from '../../platform/config/config.ts'

/** Hours to keep an unfinished upload after its last byte. */
export const UNFINISHED_HOURS = 24

/** Bytes per second that an upload must average over `stallSec`. */
const LEAST_RATE = 1_024

/** Returns the seconds over which an upload's rate is measured: its longest pause. */
export const stallSec = (): number => Number(testValue('UPLOAD_STALL_SEC') ?? 30)

/** Returns the bytes that an upload must send in `stallSec`. */
export const leastBytes = (): number => LEAST_RATE * stallSec()
