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

/** The pages of the docs in reading order, grouped by what a reader wants. */
export const GROUPS: Group[] = [
  {
    title: 'Start',
    pages: [
      { href: '/docs', title: 'Quick start' },
      { href: '/docs/testing', title: 'Test your integration' },
      { href: '/docs/sdk', title: 'TypeScript client' },
      { href: '/docs/express', title: 'Build a course site' },
    ],
  },
  {
    title: 'Upload',
    pages: [
      { href: '/docs/uploads', title: 'Upload from a browser' },
      { href: '/docs/importing', title: 'Import from a URL' },
      { href: '/docs/processing', title: 'Follow processing' },
      { href: '/docs/captions', title: 'Generate captions' },
      { href: '/docs/managing', title: 'Manage videos' },
      { href: '/docs/finding', title: 'Find videos' },
      { href: '/docs/library', title: 'Change many videos' },
    ],
  },
  {
    title: 'Play',
    pages: [
      { href: '/docs/playback', title: 'Play from your backend' },
      { href: '/docs/player', title: 'Control the player' },
      { href: '/docs/resume', title: 'Resume where they stopped' },
      { href: '/docs/sharing', title: 'Share and embed' },
    ],
  },
  {
    title: 'Protect',
    pages: [
      { href: '/docs/devices', title: 'Limit devices' },
      { href: '/docs/regions', title: 'Restrict by country or network' },
      { href: '/docs/viewer-data', title: 'Viewer data and GDPR' },
      { href: '/docs/watermark', title: 'Watermark' },
      { href: '/docs/authentication', title: 'Authentication' },
      { href: '/docs/signing-in', title: 'Secure your sign-in' },
      { href: '/docs/team', title: 'Team and audit log' },
      { href: '/docs/receipts', title: 'Receipts' },
    ],
  },
  {
    title: 'Know who watched',
    pages: [
      { href: '/docs/viewers', title: 'Viewer analytics' },
      { href: '/docs/progress', title: 'Show progress to teachers' },
      { href: '/docs/analytics', title: 'Read analytics' },
      { href: '/docs/charts', title: 'Read the charts' },
    ],
  },
  {
    title: 'Receive events',
    pages: [
      { href: '/docs/webhooks', title: 'Webhooks' },
      { href: '/docs/notifications', title: 'Notifications' },
    ],
  },
  {
    title: 'Pay',
    pages: [
      { href: '/docs/billing', title: 'Billing' },
      { href: '/docs/limits', title: 'Limits' },
    ],
  },
  {
    title: 'Operate',
    pages: [
      { href: '/docs/request-log', title: 'Requests and usage' },
      { href: '/docs/errors', title: 'Errors' },
      { href: '/docs/versioning', title: 'Versioning' },
      { href: '/docs/operator', title: 'Operator console' },
      { href: '/docs/changelog', title: 'Changelog' },
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
      { href: `${REFERENCE}/analytics`, title: 'Analytics' },
      { href: `${REFERENCE}/billing`, title: 'Billing' },
      { href: `${REFERENCE}/events`, title: 'Events' },
      { href: `${REFERENCE}/webhooks`, title: 'Webhook events' },
      { href: `${REFERENCE}/description`, title: 'Description' },
    ],
  },
]

/** Every page, in reading order. */
export const PAGES: DocsPage[] = GROUPS.flatMap(({ pages }) => pages)

/** Returns the title of a page in the navigation. */
export const titleOf = (href: string): string => PAGES.find((page) => page.href === href)?.title ?? ''
