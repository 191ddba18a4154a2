import type { MatchedRoute } from './page-routes.ts'

/**
 * Ids of rows: they open nothing without a key, a token, a signature or a session. Ids of the dashboard's uploads and of invitations are not
 * among them.
 */
const ID = /^(?:acc|evt|key|upl|usr|vid|whe)_[0-9A-Za-z]{22}$/
/** Other parameters whose values are words of this service. Procedures of the dashboard are called several at once. */
const WORDS: Record<string, RegExp> = {
  trpc: /^[a-z]+(?:\.[a-z]+)+(?:,[a-z]+(?:\.[a-z]+)+)*$/i,
  eventType: /^[a-z]+(?:[._][a-z]+)+$/,
  month: /^\d{4}-\d{2}$/,
  format: /^(?:csv|json)$/,
}
const MAX_VALUE = 300

/**
 * Returns the path of a request for the access log and traces: its route with the parameters filled in that are known to be harmless. Any
 * other part may be a secret, a playback token or the permit of a session for example, or a text of the client's choice.
 */
export function shownPath(matched: MatchedRoute | undefined): string {
  if (!matched) return '*'
  return matched.route.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = matched.params[name] ?? ''
    return value.length <= MAX_VALUE && (ID.test(value) || WORDS[name]?.test(value)) ? value : placeholder
  })
}
