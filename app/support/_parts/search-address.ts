/** Returns whether a text is a secret, which is never put into an address. */
export const isSecret = (text: string) => /^(ak_(live|test)_|pt_)/.test(text)

/** Returns the address of the results of a search. */
export const addressOfSearch = (text: string) => (isSecret(text) ? '/support?pasted' : `/support?q=${encodeURIComponent(text)}`)
