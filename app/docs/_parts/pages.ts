export interface DocsPage {
  href: string
  title: string
}

interface Group {
  title: string
  pages: DocsPage[]
}

/** The id of the navigation, which a button of the header opens on a phone. */
export const NAV_ID = 'docs-navigation'

/** The overview of the API reference. */
export const REFERENCE = '/docs/reference'

/** The pages of the docs in reading order, grouped as in the navigation. */
export const GROUPS: Group[] = [
  {
    title: 'Get started',
    pages: [
      { href: '/docs', title: 'Quick start' },
      { href: '/docs/authentication', title: 'Authentication' },
      { href: '/docs/testing', title: 'Test keys and fixtures' },
      { href: '/docs/sdk', title: 'TypeScript client' },
      { href: '/docs/express', title: 'A course site with Express' },
    ],
  },
  {
    title: 'Videos',
    pages: [
      { href: '/docs/uploads', title: 'Upload from the browser' },
      { href: '/docs/processing', title: 'Processing of a video' },
      { href: '/docs/managing', title: 'Manage videos' },
      { href: '/docs/finding', title: 'Find your videos' },
    ],
  },
  {
    title: 'Playback',
    pages: [
      { href: '/docs/playback', title: 'Playback from a backend' },
      { href: '/docs/player', title: 'The player' },
      { href: '/docs/sharing', title: 'Share and embed' },
    ],
  },
  {
    title: 'Operation',
    pages: [
      { href: '/docs/webhooks', title: 'Webhooks' },
      { href: '/docs/errors', title: 'Errors' },
      { href: '/docs/limits', title: 'Limits' },
      { href: '/docs/versioning', title: 'Versioning' },
    ],
  },
  {
    title: 'Dashboard',
    pages: [
      { href: '/docs/library', title: 'The library' },
      { href: '/docs/request-log', title: 'Usage and request log' },
      { href: '/docs/viewers', title: 'Viewer analytics' },
      { href: '/docs/charts', title: 'Charts' },
      { href: '/docs/notifications', title: 'Notifications' },
      { href: '/docs/billing', title: 'Billing' },
      { href: '/docs/team', title: 'Team and audit log' },
      { href: '/docs/signing-in', title: 'Sign in to the dashboard' },
      { href: '/docs/receipts', title: 'Receipts' },
      { href: '/docs/operator', title: 'Operator console' },
    ],
  },
  {
    title: 'API reference',
    pages: [
      { href: REFERENCE, title: 'Overview' },
      { href: `${REFERENCE}/videos`, title: 'Videos' },
      { href: `${REFERENCE}/collections`, title: 'Collections' },
      { href: `${REFERENCE}/uploads`, title: 'Uploads' },
      { href: `${REFERENCE}/playback`, title: 'Playback' },
      { href: `${REFERENCE}/viewers`, title: 'Viewers' },
      { href: `${REFERENCE}/billing`, title: 'Billing' },
      { href: `${REFERENCE}/events`, title: 'Events' },
      { href: `${REFERENCE}/webhooks`, title: 'Webhook events' },
      { href: `${REFERENCE}/description`, title: 'Description' },
    ],
  },
  { title: 'Releases', pages: [{ href: '/docs/changelog', title: 'Changelog' }] },
]

/** Every page, in reading order. */
export const PAGES: DocsPage[] = GROUPS.flatMap(({ pages }) => pages)
