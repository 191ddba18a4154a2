import { z } from 'zod'
import { pageCursor, pagination } from '../../../platform/text/schema.ts'
import { videoParams } from '../../videos/schema.ts'

const EXAMPLE_VIDEO = 'vid_3kTMd9cXv0dRr1gB7JmQeA'

/** Any text: one that no token used gives VIEWER_NOT_FOUND. */
export const viewerParams = z.object({
  viewerId: z.string().meta({ description: 'Your own ID of the person, as in `viewer.id` of a token request.', examples: ['student-42'] }),
})
export const viewerVideoParams = viewerParams.extend(videoParams.shape)

export const viewersQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100).meta({ description: 'Page size.' }),
  cursor: pageCursor.optional(),
})
export type ViewersQuery = z.output<typeof viewersQuery>
export const viewersExtra = z.object({ pagination })

const progress = {
  watchedSec: z.int().meta({ description: 'Different seconds of the video that were played.' }),
  durationSec: z.int().meta({ description: 'Length of the video in seconds when it was last watched.' }),
  positionSec: z.number().meta({ description: 'Where playback last was, in seconds.' }),
  firstAt: z.iso.datetime(),
  lastAt: z.iso.datetime(),
  completedAt: z.iso.datetime().nullable().meta({ description: 'When 90% of the video had been watched; null until then.' }),
}
const EXAMPLE_PROGRESS = {
  ...{ watchedSec: 180, durationSec: 214, positionSec: 182.5, completedAt: null },
  ...{ firstAt: '2026-11-21T10:00:00.000Z', lastAt: '2026-11-21T10:03:30.000Z' },
}

export const viewerVideo = z.object({ videoId: z.string(), ...progress }).meta({
  id: 'ViewerVideo',
  description: 'How much of a video a viewer has watched.',
  examples: [{ videoId: EXAMPLE_VIDEO, ...EXAMPLE_PROGRESS }],
})
export type ViewerVideo = z.output<typeof viewerVideo>

export const videoViewer = z.object({ viewerId: z.string(), ...progress }).meta({
  id: 'VideoViewer',
  description: 'A viewer of a video, and how much they have watched.',
  examples: [{ viewerId: 'student-42', ...EXAMPLE_PROGRESS }],
})
export type VideoViewer = z.output<typeof videoViewer>

export const viewer = z
  .object({
    id: z.string().meta({ description: 'Your own ID of the person.' }),
    firstSeenAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime(),
    sessions: z.array(z.object({ videoId: z.string(), beganAt: z.iso.datetime(), lastSeenAt: z.iso.datetime() })).meta({
      description: 'Sessions that hold a place now: with a request or report within the last 60 seconds.',
    }),
    videos: z.array(viewerVideo).meta({ description: 'What they watched, the latest first; paginated.' }),
  })
  .meta({
    id: 'Viewer',
    description: 'A person of your product who watches.',
    examples: [
      {
        ...{ id: 'student-42', firstSeenAt: '2026-11-21T10:00:00.000Z', lastSeenAt: '2026-11-21T10:03:30.000Z' },
        sessions: [{ videoId: EXAMPLE_VIDEO, beganAt: '2026-11-21T10:00:00.000Z', lastSeenAt: '2026-11-21T10:03:30.000Z' }],
        videos: [{ videoId: EXAMPLE_VIDEO, ...EXAMPLE_PROGRESS }],
      },
    ],
  })
export type ViewerObject = z.output<typeof viewer>

export const endedViewer = z.object({ id: z.string(), ended: z.int().meta({ description: 'How many sessions were ended.' }) }).meta({
  id: 'EndedViewer',
  description: 'A viewer whose sessions were ended.',
  examples: [{ id: 'student-42', ended: 2 }],
})
