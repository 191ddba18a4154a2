const MAX_AGENT = 200

/** Returns a `User-Agent` header for logs: shortened, and without characters that a terminal or another encoding could interpret. */
export const shownAgent = (text = ''): string => text.slice(0, MAX_AGENT).replace(/[^\x20-\x7e]/g, '?')
