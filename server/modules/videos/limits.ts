/** Largest picture accepted as a poster, in bytes. */
export const MAX_POSTER_BYTES = 2 * 1024 ** 2

/** Maximum number of videos on one page of the list under /v1. */
export const MAX_PAGE = 500
