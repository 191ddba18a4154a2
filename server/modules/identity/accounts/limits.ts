/** Maximum number of hosts, because every player page sends them in a header. */
export const MAX_EMBED_DOMAINS = 50
