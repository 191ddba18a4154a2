import { DIRECT, type ErrorKind, OTHER, UNKNOWN, type ViewerDimension } from '#server/modules/analytics/viewing/viewer-limits'

const regions = new Intl.DisplayNames('en', { type: 'region' })

const UNKNOWN_OF: Partial<Record<ViewerDimension, string>> = {
  referrer: 'Unknown page',
  quality: 'Unknown quality',
  country: 'Unknown country',
}
const OTHERS = {
  country: 'Other countries',
  referrer: 'Other pages',
  device: 'Other',
  browser: 'Other',
  os: 'Other',
  quality: 'Other',
} as const

const ERROR_NAMES: Record<ErrorKind, string> = {
  offline: 'Viewer went offline',
  trouble: 'Service did not respond',
  broken: 'Playback failed',
  unsupported: 'Browser cannot play the video',
  preparing: 'Video not ready',
  expired: 'Token expired',
  ended: 'Session expired',
  stopped: 'You ended the session',
  barred: 'Not allowed in this country or network',
  elsewhere: 'Already watching elsewhere',
  watermark: 'Watermark hidden by the viewer',
  invalid: 'Token invalid',
  missing: 'Video deleted',
}

/** Returns the name of a kind of error. */
export const errorName = (kind: string): string => ERROR_NAMES[kind as ErrorKind] ?? 'Unknown'

/** Returns the name that is shown for a value of a dimension: `Germany` for `DE`. */
export function viewerName(dimension: ViewerDimension, value: string): string {
  if (value === UNKNOWN) return UNKNOWN_OF[dimension] ?? 'Unknown'
  if (value === OTHER) return OTHERS[dimension]
  if (value === DIRECT) return 'Opened directly'
  if (dimension === 'country' && /^[A-Z]{2}$/.test(value)) return regions.of(value) ?? value
  return value
}
