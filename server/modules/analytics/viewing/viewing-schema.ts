import { z } from 'zod'
import { dayRangeFields } from '../../../platform/text/schema.ts'
import { videoIdInput } from '../../videos/schema.ts'
import { wholeRange } from '../schema.ts'
import { ERROR_KINDS } from './viewer-limits.ts'

/** Upper bounds of the startup time buckets in milliseconds. A last bucket has no bound. */
export const STARTUP_BOUNDS = [
  100, 150, 200, 300, 400, 500, 650, 800, 1_000, 1_250, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_500, 8_000, 10_000, 15_000, 20_000,
  30_000, 60_000,
] as const

/** Number of equal parts of a video for retention. */
export const RETENTION_PARTS = 20

const milliseconds = z.int().min(0).max(3_600_000)
const pictureHeight = z.int().min(1).max(16_384)
/** Longer than any video. */
const MAX_MEDIA_SEC = 1_000_000
const mediaSecond = z.number().min(0).max(MAX_MEDIA_SEC)
const span = z.tuple([mediaSecond, mediaSecond]).refine(([from, to]) => from <= to)
const counter = z.int().min(0).max(1_000)

/** A player's report on a viewing since its previous one. Unknown fields are rejected. */
export const viewingReport = z.strictObject({
  /** The signed permit from the playlists' path. */
  permit: z.string().max(3_100),
  /** The player generates it for one viewing. Not stored. */
  session: z.string().regex(/^[0-9a-f]{32}$/),
  /** From the play command to the first frame. Once per viewing. */
  startupMs: milliseconds.optional(),
  /** True when the player ended or its page is left, false when playback continues afterwards. */
  left: z.boolean().optional(),
  watchMs: milliseconds,
  rebufferMs: milliseconds,
  rebuffers: counter,
  errors: counter,
  /** What the last of `errors` was. */
  errorKind: z.enum(ERROR_KINDS).optional(),
  /** Of the picture that is shown, in pixels. */
  height: pictureHeight.optional(),
  /** Milliseconds of `watchMs` by frame height. */
  watched: z
    .array(z.tuple([pictureHeight, milliseconds]))
    .max(12)
    .optional(),
  /** Host of the page around the player, as `pageHost` writes it. */
  page: z
    .string()
    .regex(/^(\((direct|unknown)\)|[a-z0-9_-][a-z0-9_.:-]{0,252}|\[[0-9a-f:.]{2,45}\](:\d{1,5})?)$/)
    .optional(),
  /** Where playback is, and what was played since the previous report (begin and end of each stretch), in seconds. For viewers with an ID. */
  positionSec: mediaSecond.optional(),
  spans: z.array(span).max(100).optional(),
  /** Indexes of the parts of the video reached for the first time. */
  reached: z
    .array(
      z
        .int()
        .min(0)
        .max(RETENTION_PARTS - 1),
    )
    .max(RETENTION_PARTS),
})
export type ViewingReport = z.output<typeof viewingReport>

/** A range of UTC days. Defaults to the last 30. */
export const viewingInput = videoIdInput.extend(dayRangeFields).superRefine(wholeRange)
export type ViewingInput = z.output<typeof viewingInput>
