/** For `refine`: text that the database can hold, which knows neither NUL nor half a character. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
export const NOT_STORABLE = 'Remove the invisible characters from this text.'
