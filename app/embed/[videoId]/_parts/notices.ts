import type { ErrorCode } from '#server/errors'

/** Every screen shown instead of the video (its texts are in texts/*.ts), and whether a retry from there can help. */
export const NOTICES = {
  expired: { retry: false },
  ended: { retry: false },
  stopped: { retry: false },
  barred: { retry: false },
  elsewhere: { retry: true },
  watermark: { retry: false },
  invalid: { retry: false },
  missing: { retry: false },
  preparing: { retry: true },
  offline: { retry: true },
  trouble: { retry: true },
  broken: { retry: true },
  unsupported: { retry: false },
} as const satisfies Record<string, { retry: boolean }>

export type NoticeName = keyof typeof NOTICES

/** Returns the notice for an error of the manifest endpoint, and its `details.reason`; `undefined` is a network failure. */
export function noticeFor(code: ErrorCode | undefined, reason?: string): NoticeName {
  switch (code) {
    case undefined:
      return 'offline'
    case 'PLAYBACK_TOKEN_EXPIRED':
      return 'expired'
    case 'PLAYBACK_TOKEN_INVALID':
    case 'INVALID_REQUEST':
    case 'NOT_FOUND':
      return 'invalid'
    case 'PLAYBACK_NOT_ALLOWED':
      return reason === 'SESSIONS' ? 'elsewhere' : 'barred'
    case 'VIDEO_NOT_FOUND':
      return 'missing'
    case 'VIDEO_NOT_READY':
      return 'preparing'
    default:
      return 'trouble'
  }
}
