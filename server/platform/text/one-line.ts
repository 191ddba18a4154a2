/** Returns a name, such as a file's, without what `oneLine` (server/platform/text/schema.ts) refuses. */
export const asOneLine = (name: string): string => name.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, '').toWellFormed()
