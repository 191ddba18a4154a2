import { z } from 'zod'
import { pageCursor, pagination, utcDay } from '../../../platform/text/schema.ts'
import { MAX_DAYS } from '../limits.ts'
import { ERROR_KINDS, QUALITY_DIMENSIONS, UNKNOWN, VIEWER_DIMENSIONS } from './viewer-limits.ts'

/** Days of a request that names none, including today. */
export const USUAL_DAYS = 30
/** Videos on one page. Each has a row for every day on which it was watched. */
export const MOST_GROUPED_VIDEOS = 100

const PLAYS_GROUPS = ['day', 'video', ...VIEWER_DIMENSIONS] as const
const QUALITY_GROUPS = ['day', 'video', ...QUALITY_DIMENSIONS] as const

const asked = {
  from: utcDay.optional().meta({ description: `First UTC day, \`YYYY-MM-DD\`. Defaults to ${USUAL_DAYS - 1} days before \`to\`.` }),
  to: utcDay.optional().meta({ description: `Last UTC day, included. Defaults to today. A range has at most ${MAX_DAYS} days.` }),
  videoId: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Counts this video only.', examples: ['vid_3kTMd9cXv0dRr1gB7JmQeA'] }),
}
const paged = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MOST_GROUPED_VIDEOS)
    .default(MOST_GROUPED_VIDEOS)
    .meta({ description: 'Page size, with `groupBy=video`.' }),
  cursor: pageCursor.optional(),
}

interface Asked {
  groupBy: string
  videoId?: string | undefined
  cursor?: string | undefined
}

/** For `superRefine`: only groups by video have pages, and one video has no groups by video. */
function fits({ groupBy, videoId, cursor }: Asked, ctx: z.RefinementCtx): void {
  const refuse = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message })
  if (groupBy !== 'video' && cursor !== undefined) refuse('cursor', 'Only groupBy=video has pages. Remove cursor.')
  if (groupBy === 'video' && videoId !== undefined)
    refuse('videoId', 'groupBy=video counts every video. Remove videoId, or change groupBy.')
}

export const playsQuery = z
  .object({
    ...asked,
    groupBy: z.enum(PLAYS_GROUPS).default('day').meta({
      description:
        'What each group counts: a UTC day, a video, or the viewers with one value. `referrer` is the site that embeds the player, `quality` the rendition on screen.',
    }),
    ...paged,
  })
  .superRefine(fits)
export type PlaysQuery = z.output<typeof playsQuery>

export const qualityQuery = z
  .object({
    ...asked,
    groupBy: z
      .enum(QUALITY_GROUPS)
      .default('day')
      .meta({ description: 'What each group measures: a UTC day, a video, or the viewers with one value. With `videoId`, only `day`.' }),
    ...paged,
  })
  .superRefine(fits)
  .superRefine(({ videoId, groupBy }, ctx) => {
    if (videoId === undefined || groupBy === 'day' || groupBy === 'video') return
    ctx.addIssue({ code: 'custom', path: ['groupBy'], message: 'We store the quality of a video by day only. Remove videoId, or groupBy.' })
  })
export type QualityQuery = z.output<typeof qualityQuery>

export const analyticsExtra = z.object({ pagination })

const count = z.int().min(0)

const counted = {
  plays: count.meta({ description: 'Views that showed a first frame. With `groupBy=quality`, 0: a view can change its rendition.' }),
  watchedSec: z.number().min(0).meta({ description: 'Seconds of video that played, without pauses and waiting.' }),
}

const period = {
  from: z.iso.date().meta({ description: 'First UTC day.' }),
  to: z.iso.date().meta({ description: 'Last UTC day, included.' }),
  partial: z.boolean().meta({ description: 'Whether the last day is not over yet, so that its counts still grow.' }),
}

const VALUE =
  'The day, the ID of the video, the ISO 3166 code of the country, or the name of the device, browser, system, site or rendition. `(unknown)`: not known. `(direct)`: not embedded. `(other)`: the sum of all values beyond the first 100.'
const value = z.string().meta({ description: VALUE })

export const plays = z
  .object({
    ...period,
    groupBy: z.enum(PLAYS_GROUPS),
    totals: z.object(counted).meta({ description: 'Sums of the range. They include videos that have since been deleted.' }),
    reached: z
      .array(
        z.object({
          percent: z.int().meta({ description: '25, 50, 75 or 100.' }),
          plays: count.meta({ description: 'Views that played this part of their video. A view counts on the day on which it got there.' }),
        }),
      )
      .meta({ description: 'How far views got.' }),
    groups: z
      .array(
        z.object({
          value,
          ...counted,
        }),
      )
      .meta({ description: 'Every day, oldest first; every video, newest first, paginated; otherwise the largest first.' }),
  })
  .meta({
    id: 'Plays',
    description: 'What was played in a range of UTC days.',
    examples: [
      {
        ...{ from: '2026-11-01', to: '2026-11-21', partial: false, groupBy: 'country', totals: { plays: 214, watchedSec: 51_840.5 } },
        reached: [
          { percent: 25, plays: 180 },
          { percent: 50, plays: 151 },
          { percent: 75, plays: 122 },
          { percent: 100, plays: 97 },
        ],
        groups: [
          { value: 'DE', plays: 160, watchedSec: 40_212 },
          { value: 'FR', plays: 54, watchedSec: 11_628.5 },
        ],
      },
    ],
  })
export type Plays = z.output<typeof plays>

const milliseconds = count.nullable()

const measured = {
  plays: count,
  startupP50Ms: milliseconds.meta({
    description: 'Milliseconds from the play command to the first frame: the median. Null if there were no plays.',
  }),
  startupP95Ms: milliseconds.meta({ description: 'The time within which 95% of plays start. Null if there were no plays.' }),
  rebufferRatio: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .meta({ description: 'Share of the time in which playback waited for data, from 0 to 1. Null if nothing was watched.' }),
  errors: count.meta({ description: 'Messages that the player showed in place of the video.' }),
}

export const quality = z
  .object({
    ...period,
    groupBy: z.enum(QUALITY_GROUPS),
    totals: z.object(measured).meta({ description: 'Of the whole range. They include videos that have since been deleted.' }),
    errorKinds: z
      .array(
        z.object({
          kind: z.enum([...ERROR_KINDS, UNKNOWN]).meta({ description: 'What the player showed.' }),
          count: count.meta({ description: 'How often.' }),
        }),
      )
      .nullable()
      .meta({ description: 'Errors by kind, most frequent first. Null with `videoId`: we store kinds for the account only.' }),
    groups: z
      .array(z.object({ value, ...measured }))
      .meta({ description: 'Every day, oldest first; every video, newest first, paginated; otherwise the most played first.' }),
  })
  .meta({
    id: 'PlaybackQuality',
    description: 'How well videos started and played in a range of UTC days.',
    examples: [
      {
        ...{ from: '2026-11-21', to: '2026-11-21', partial: false, groupBy: 'day' },
        totals: { plays: 214, startupP50Ms: 420, startupP95Ms: 1_850, rebufferRatio: 0.004, errors: 3 },
        errorKinds: [
          { kind: 'offline', count: 2 },
          { kind: 'expired', count: 1 },
        ],
        groups: [{ value: '2026-11-21', plays: 214, startupP50Ms: 420, startupP95Ms: 1_850, rebufferRatio: 0.004, errors: 3 }],
      },
    ],
  })
export type Quality = z.output<typeof quality>
