import type { ShareRefusal } from '#server/modules/delivery/sharing/open-link'

export type Refusal = ShareRefusal | 'busy' | 'offline' | 'trouble'

/** What a watch page shows instead of a video. */
export const NOTICES: Record<Refusal, { title: string; text: string }> = {
  unknown: { title: 'This link does not exist', text: 'Check that you copied the whole link, or ask for a new one.' },
  expired: { title: 'This link has expired', text: 'Ask the person who sent it for a new one.' },
  revoked: { title: 'This link was revoked', text: 'Ask the person who sent it for a new one.' },
  used: { title: 'This link has no views left', text: 'It was limited to a number of views. Ask the person who sent it for a new one.' },
  processing: { title: 'This video is not ready yet', text: 'It is still being processed. Reload the page in a few minutes.' },
  unavailable: { title: 'This video is not available', text: 'It may have been removed. Ask the person who sent you the link.' },
  busy: { title: 'Too many requests', text: 'Wait a minute, then reload the page.' },
  offline: { title: 'No connection', text: 'Check your connection, then reload the page.' },
  trouble: { title: 'Something went wrong', text: 'Reload the page in a minute.' },
}
