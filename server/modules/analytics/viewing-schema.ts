import { z } from 'zod'
import { videoIdInput } from '../videos/schema.ts'

/** Start-up times in milliseconds up to which each bucket counts; one more bucket takes what is beyond. */
export const STARTUP_BOUNDS = [
  100, 150, 200, 300, 400, 500, 650, 800, 1_000, 1_250, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 6_500, 8_000, 10_000, 15_000, 20_000,
  30_000, 60_000,
] as const

/** The film in this many stretches. */
export const STRETCHES = 20

const milliseconds = z.int().min(0).max(3_600_000)
const times = z.int().min(0).max(1_000)

/** What a player says of a viewing since it last said something. Unknown fields are refused. */
export const viewingReport = z.strictObject({
  /** The part of the playlists' address that opens them. */
  grant: z.string().max(160),
  /** Made up by the player for one viewing; never stored. */
  session: z.string().regex(/^[0-9a-f]{32}$/),
  /** From the wish to play to the first picture; once in a viewing. */
  startupMs: milliseconds.optional(),
  watchMs: milliseconds,
  rebufferMs: milliseconds,
  rebuffers: times,
  errors: times,
  /** Stretches of the film first reached. */
  reached: z
    .array(
      z
        .int()
        .min(0)
        .max(STRETCHES - 1),
    )
    .max(STRETCHES),
})
export type ViewingReport = z.output<typeof viewingReport>

export const VIEWING_DAYS = [7, 28, 90] as const

export const viewingInput = videoIdInput.extend({ days: z.literal([...VIEWING_DAYS]) })
export type ViewingInput = z.output<typeof viewingInput>
