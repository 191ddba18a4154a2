/** For `refine`: returns whether the database can store a text, which excludes NUL and unpaired surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
export const NOT_STORABLE = 'Remove the invisible characters from this text.'
