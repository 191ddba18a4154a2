import type { ShareRefusal } from '#server/modules/delivery/sharing/open-link'

export type Refusal = ShareRefusal | 'busy' | 'offline' | 'trouble'

/** What a watch page shows instead of a video. */
export const NOTICES: Record<Refusal, { title: string; text: string }> = {
  unknown: { title: 'This link does not exist', text: 'Check that the whole link was copied, or ask for a new one.' },
  expired: { title: 'This link has expired', text: 'Ask the person who sent it for a new one.' },
  revoked: { title: 'This link was revoked', text: 'Ask the person who sent it for a new one.' },
  used: { title: 'This link has no views left', text: 'It could be watched a limited number of times. Ask for a new one.' },
  processing: { title: 'This video is not ready yet', text: 'It is still being processed. Reload the page in a few minutes.' },
  unavailable: { title: 'This video is not available', text: 'It was removed, or cannot be watched at the moment.' },
  busy: { title: 'Too many requests', text: 'Wait a minute, then reload the page.' },
  offline: { title: 'No connection', text: 'Check your connection, then reload the page.' },
  trouble: { title: 'Something went wrong', text: 'Reload the page in a minute.' },
}
