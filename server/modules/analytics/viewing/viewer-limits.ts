/** What viewers are counted by. `quality` has only watch time. */
export const VIEWER_DIMENSIONS = ['country', 'referrer', 'device', 'browser', 'os', 'quality'] as const
export type ViewerDimension = (typeof VIEWER_DIMENSIONS)[number]

/** What quality can be divided by. Pages have too many values to sum their startup times over a year. */
export const QUALITY_DIMENSIONS = ['country', 'device', 'browser', 'os'] as const satisfies readonly ViewerDimension[]
export type QualityDimension = (typeof QUALITY_DIMENSIONS)[number]

/** SQL: the rows of account_viewer_day that count each play and all watch time once, because every viewer has one device. */
export const ALL_VIEWERS = "dimension = 'device'"

/** Why a player showed a notice instead of the video, as it reports it. */
export const ERROR_KINDS = [
  ...(['offline', 'trouble', 'broken', 'unsupported', 'preparing'] as const),
  ...(['expired', 'ended', 'stopped', 'barred', 'elsewhere', 'watermark', 'invalid', 'missing'] as const),
] as const
export type ErrorKind = (typeof ERROR_KINDS)[number]

/** Values that are no name of anything. */
export const UNKNOWN = '(unknown)'
/** The sum of values without their own row. */
export const OTHER = '(other)'
/** The referrer of a player that is not embedded. */
export const DIRECT = '(direct)'

/** Shares of a video, in percent, and which twentieth a viewing must reach: for the end, the last one. */
export const REACHED_PARTS = [
  { share: 25, part: 5 },
  { share: 50, part: 10 },
  { share: 75, part: 15 },
  { share: 100, part: 19 },
] as const

/** Maximum number of a dimension's values in one report. The rest are summed as `OTHER`. */
export const MOST_VALUES = 100
