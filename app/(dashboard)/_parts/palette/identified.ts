import type { Identified } from '#server/modules/dashboard/search'

/** Where each kind of thing is shown that is found by its id. */
export const PLACE_OF: Record<Identified['kind'], { title: string; href: (found: Identified) => string }> = {
  media: { title: 'Media', href: ({ on }) => `/videos/${on}` },
  request: { title: 'Request', href: ({ id }) => `/requests/${id}` },
  token: { title: 'Playback token', href: ({ id, on }) => (on === null ? `/requests?search=${id}` : `/videos/${on}`) },
  endpoint: { title: 'Webhook endpoint', href: ({ id }) => `/webhooks/${id}` },
  event: { title: 'Webhook event', href: ({ id }) => `/webhooks/events?event=${id}` },
  upload: { title: 'Upload', href: ({ on }) => (on === null ? '/videos/uploads' : `/videos/${on}`) },
  collection: { title: 'Collection', href: ({ id }) => `/videos?collection=${id}` },
  link: { title: 'Share link', href: ({ on }) => `/videos/${on}` },
  member: { title: 'Member', href: () => '/team' },
  invitation: { title: 'Invitation', href: () => '/team' },
  payment: { title: 'Payment', href: () => '/billing/statements' },
  receipt: { title: 'Receipt', href: () => '/settings/receipts' },
  viewer: { title: 'Viewer', href: ({ id }) => `/viewers/people/${id}` },
  quotaRequest: { title: 'Quota request', href: ({ on }) => `/api-keys/${on}` },
}

/** Says that nothing was found, and why a request may be gone. */
export const noResults = (text: string): string =>
  text.startsWith('req_')
    ? `Request ${text} is not in the log. The log keeps 7 days, and a sample of successful requests when traffic is high.`
    : `No results for “${text}”`
