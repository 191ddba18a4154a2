/** Largest picture accepted as a poster, in bytes. */
export const MAX_POSTER_BYTES = 2 * 1024 ** 2
