import { VIEWER_DIMENSIONS } from '#server/modules/analytics/viewing/viewer-limits'
import type { Only } from '#server/modules/analytics/viewing/viewer-schema'

/** Reads which viewers an address asks for; undefined for all of them, and for what is no value of a dimension. */
export function onlyFrom(by: unknown, value: unknown): Only | undefined {
  const dimension = VIEWER_DIMENSIONS.find((one) => one === by)
  return dimension && typeof value === 'string' && value !== '' && value.length <= 255 ? { dimension, value } : undefined
}
