import type { MatchedRoute } from './page-routes.ts'

/**
 * Row IDs, which give access to nothing without a key, a token, a signature or a session. IDs of the dashboard's uploads and of invitations
 * are not among them.
 */
const ID = /^(?:acc|evt|key|upl|usr|vid|whe)_[0-9A-Za-z]{22}$/
/** Other parameters whose values are words of this service. Several dashboard procedures can be called at once. */
const WORDS: Record<string, RegExp> = {
  trpc: /^[a-z]+(?:\.[a-z]+)+(?:,[a-z]+(?:\.[a-z]+)+)*$/i,
  eventType: /^[a-z]+(?:[._][a-z]+)+$/,
  month: /^\d{4}-\d{2}$/,
  format: /^(?:csv|json)$/,
}
const MAX_VALUE = 300

/**
 * Returns a request's path for the access log and traces: its route, filled in with the parameters known to be harmless. Any other part may
 * be a secret, such as a playback token or a session's permit, or text that the client chose.
 */
export function shownPath(matched: MatchedRoute | undefined): string {
  if (!matched) return '*'
  return matched.route.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    // A customer's own ID of a person can look like any other ID.
    if (name === 'viewerId') return placeholder
    const value = matched.params[name] ?? ''
    return value.length <= MAX_VALUE && (ID.test(value) || WORDS[name]?.test(value)) ? value : placeholder
  })
}
