/**
 * The scopes of a key and the endpoints they allow (specification §2.4). The dashboard, REST, OpenAPI and the documentation read this
 * table.
 */
export const SCOPES = {
  'video:read': { title: 'Read videos', opens: 'List videos, fetch metadata, create playback tokens' },
  'video:write': { title: 'Write videos', opens: 'Upload and edit videos, change captions and posters, delete and restore' },
  'viewer:read': { title: 'Read viewers', opens: 'Read who watched what, and how much' },
  'viewer:write': { title: 'Write viewers', opens: 'End the sessions of a viewer, and erase viewers' },
  'analytics:read': { title: 'Read analytics', opens: 'Read plays, watch time and playback quality' },
  'billing:read': { title: 'Read billing', opens: 'Read the wallet balance and usage' },
  'webhook:read': { title: 'Stream events', opens: 'Stream events to a development machine and trigger sample events' },
} as const

export type Scope = keyof typeof SCOPES

export const SCOPE_NAMES = Object.keys(SCOPES) as [Scope, ...Scope[]]
