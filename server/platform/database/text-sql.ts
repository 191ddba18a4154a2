/**
 * SQL about texts that people write. The locale of a database decides nothing: `reelgate` is a collation that a migration made, of ICU
 * where PostgreSQL has it. Expressions of indexes repeat these texts.
 */

/**
 * Returns the SQL of a text without its letter case, to compare by bytes; `foldCase` (fold-case.ts) returns the same. First in small
 * letters, which have one form for ẞ and İ, then in capital ones, which have one for ß and SS, and for σ and ς.
 */
export const folded = (text: string): string => `(upper(lower(${text} COLLATE reelgate)) COLLATE "C")`

/** Returns the SQL of what a list by name is ordered by: small and large letters alike, Ä next to A. */
export const alphabetical = (text: string): string => `lower(${text} COLLATE reelgate)`

/** Returns the condition that a text matches a pattern of LIKE, in any letter case. */
export const matches = (text: string, pattern: string): string => `${folded(text)} LIKE ${folded(`${pattern}::text`)}`

/** Returns the pattern of LIKE for texts that contain a text. */
export const containing = (text: string): string => `%${beginning(text)}`

/** Returns the pattern of LIKE for texts that begin with a text. */
export const beginning = (text: string): string => `${text.replace(/[\\%_]/g, '\\$&')}%`
