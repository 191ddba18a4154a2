import type { ErrorCode } from '#server/errors'

/** A screen shown instead of the video: what happened, and what to do next. */
export interface Notice {
  title: string
  text: string
  /** Whether a retry from here can help. */
  retry?: true
}

const RELOAD = 'Go back to the page you came from, reload it and start the video from there.'

export const NOTICES = {
  expired: { title: 'This link has expired', text: `A playback link can be opened for five minutes. ${RELOAD}` },
  ended: { title: 'Your viewing session has ended', text: RELOAD },
  stopped: { title: 'Playback was ended', text: `The owner of this video ended this viewing. ${RELOAD}` },
  invalid: { title: 'This link does not work', text: `It is incomplete, or it was made for another video. ${RELOAD}` },
  missing: { title: 'This video is not available', text: 'It does not exist any more. Its owner may have removed it.' },
  preparing: { title: 'This video is not ready yet', text: 'It is still being prepared. Try again in a few minutes.', retry: true },
  offline: { title: 'The video cannot be reached', text: 'Check your internet connection, then try again.', retry: true },
  trouble: { title: 'The video service does not answer', text: 'This is no fault of yours. Try again in a moment.', retry: true },
  broken: { title: 'The video stopped', text: 'This browser could not read a part of it.', retry: true },
  unsupported: {
    title: 'This browser cannot play the video',
    text: 'Open the page in a current version of Chrome, Edge, Firefox or Safari.',
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
