/**
 * The scopes of a key and the endpoints that they permit (specification §2.4). Dashboard, REST, OpenAPI and documentation read this table.
 */
export const SCOPES = {
  'video:read': { title: 'Read videos', opens: 'List videos, fetch metadata, generate playback tokens' },
  'billing:read': { title: 'Read billing', opens: 'Read the wallet balance and usage' },
  'webhook:read': { title: 'Follow events', opens: 'Follow events on a development machine, and fire samples of them' },
} as const

export type Scope = keyof typeof SCOPES

export const SCOPE_NAMES = Object.keys(SCOPES) as [Scope, ...Scope[]]
