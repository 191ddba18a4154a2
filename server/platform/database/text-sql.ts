/**
 * SQL for texts that people write. The database's locale does not matter: `reelgate` is a collation that a migration created, from ICU
 * where PostgreSQL has it. Index expressions repeat these texts.
 */

/**
 * Returns SQL for a text without its letter case, to compare by bytes; `foldCase` (fold-case.ts) returns the same. Lowercase first, which
 * has one form for ẞ and İ, then uppercase, which has one for ß and SS, and for σ and ς.
 */
export const folded = (text: string): string => `(upper(lower(${text} COLLATE reelgate)) COLLATE "C")`

/** Returns SQL to sort a list by name: lowercase and uppercase alike, Ä next to A. */
export const alphabetical = (text: string): string => `lower(${text} COLLATE reelgate)`

/** Returns the condition that a text matches a LIKE pattern, in any letter case. */
export const matches = (text: string, pattern: string): string => `${folded(text)} LIKE ${folded(`${pattern}::text`)}`

/** Returns the LIKE pattern of texts that contain a text. */
export const containing = (text: string): string => `%${beginning(text)}`

/** Returns the LIKE pattern of texts that start with a text. */
export const beginning = (text: string): string => `${text.replace(/[\\%_]/g, '\\$&')}%`
