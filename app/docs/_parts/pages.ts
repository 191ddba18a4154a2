/** The guides, in reading order. */
export const PAGES = [
  { href: '/docs', title: 'Quick start' },
  { href: '/docs/authentication', title: 'Authentication' },
  { href: '/docs/uploads', title: 'Upload from the browser' },
  { href: '/docs/playback', title: 'Playback from a backend' },
  { href: '/docs/processing', title: 'Processing of a video' },
  { href: '/docs/managing', title: 'Manage videos' },
  { href: '/docs/finding', title: 'Find your videos' },
  { href: '/docs/library', title: 'The library' },
  { href: '/docs/player', title: 'The player' },
  { href: '/docs/sharing', title: 'Share and embed' },
  { href: '/docs/webhooks', title: 'Webhooks' },
  { href: '/docs/express', title: 'A course site with Express' },
  { href: '/docs/errors', title: 'Errors' },
  { href: '/docs/limits', title: 'Limits' },
  { href: '/docs/billing', title: 'Billing' },
  { href: '/docs/request-log', title: 'Usage and request log' },
  { href: '/docs/testing', title: 'Test keys and fixtures' },
  { href: '/docs/signing-in', title: 'Sign in to the dashboard' },
  { href: '/docs/team', title: 'Team and audit log' },
  { href: '/docs/receipts', title: 'Receipts' },
  { href: '/docs/sdk', title: 'TypeScript client' },
  { href: '/docs/versioning', title: 'Versioning' },
  { href: '/docs/changelog', title: 'Changelog' },
] as const

export const REFERENCE = '/docs/reference'
