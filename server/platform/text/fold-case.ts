/** Returns a text without its letter case, as the database compares names (`folded` in text-sql.ts): in NFC, and `Straße` as `STRASSE`. */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase().toUpperCase()

const NAMES = new Intl.Collator('en')

/** Compares two names as the database orders them (`alphabetical` in text-sql.ts), for `sort`. */
export const compareNames = (one: string, other: string): number => NAMES.compare(one.toLowerCase(), other.toLowerCase())
