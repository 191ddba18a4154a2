import { z } from 'zod'
import { DAY_RANGES } from './day-ranges.ts'

/** For `refine`: returns whether the database can store a text, which excludes NUL and unpaired surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
export const NOT_STORABLE = 'Remove the invisible characters from this text.'

/** `YYYY-MM-DD`, a UTC day. */
export const utcDay = z.iso.date('Use the format YYYY-MM-DD, such as 2026-03-01.')

/** Fields of a range of UTC days: a name of `day-ranges.ts`, or the first and the last day, both included. */
export const dayRangeFields = { range: z.enum(DAY_RANGES).optional(), from: utcDay.optional(), to: utcDay.optional() }

/** Options of `refine` for `from` and `to`. */
export const inOrder = ({ from, to }: { from?: string | undefined; to?: string | undefined }): boolean => !from || !to || from <= to
export const NOT_IN_ORDER = { path: ['to'], message: 'The last day must not be before the first.' }
