import type { ErrorCode } from '#server/errors'

/** A screen shown instead of the video: what happened, and what to do next. */
export interface Notice {
  title: string
  text: string
  /** Whether a retry from here can help. */
  retry?: true
}

const RELOAD = 'Return to the previous page, reload it and start the video again.'

export const NOTICES = {
  expired: { title: 'This link has expired', text: `Playback links are valid for five minutes. ${RELOAD}` },
  ended: { title: 'Your playback session has ended', text: RELOAD },
  stopped: { title: 'Playback was stopped', text: `The owner of this video ended your playback session. ${RELOAD}` },
  invalid: { title: 'This link is not valid', text: `It is incomplete or for another video. ${RELOAD}` },
  missing: { title: 'This video is not available', text: 'It may have been removed by its owner.' },
  preparing: { title: 'This video is not ready yet', text: 'It is still being processed. Try again in a few minutes.', retry: true },
  offline: { title: 'Could not load the video', text: 'Check your internet connection and try again.', retry: true },
  trouble: { title: 'The video service is not responding', text: 'Try again in a moment.', retry: true },
  broken: { title: 'Playback failed', text: 'This browser could not decode part of the video. Try again.', retry: true },
  unsupported: {
    title: 'This browser cannot play the video',
    text: 'Open this page in a current version of Chrome, Edge, Firefox or Safari.',
  },
} as const satisfies Record<string, Notice>

export type NoticeName = keyof typeof NOTICES

/** Returns the notice for an error of the manifest endpoint; `undefined` is a network failure. */
export function noticeFor(code: ErrorCode | undefined): NoticeName {
  switch (code) {
    case undefined:
      return 'offline'
    case 'PLAYBACK_TOKEN_EXPIRED':
      return 'expired'
    case 'PLAYBACK_TOKEN_INVALID':
    case 'INVALID_REQUEST':
    case 'NOT_FOUND':
      return 'invalid'
    case 'VIDEO_NOT_FOUND':
      return 'missing'
    case 'VIDEO_NOT_READY':
      return 'preparing'
    default:
      return 'trouble'
  }
}
