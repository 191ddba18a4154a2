/** Minimum number of characters of a password. */
export const PASSWORD_MIN = 10

/** Maximum number of hosts, because every player page sends them in a header. */
export const MAX_EMBED_DOMAINS = 50
