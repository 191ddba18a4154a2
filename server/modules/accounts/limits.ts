/** Fewest characters of a password. */
export const PASSWORD_MIN = 10

/** At most this many hosts: they travel in a header of every player page. */
export const MAX_EMBED_DOMAINS = 50
