import { z } from 'zod'
import { pageCursor, pagination, text } from '../../../platform/text/schema.ts'
import { videoParams } from '../../videos/schema.ts'

/** Most sessions that `maxSessions` of a policy allows, and that are listed of a viewer. */
export const MOST_SESSIONS = 100

const EXAMPLE_VIDEO = 'vid_3kTMd9cXv0dRr1gB7JmQeA'

/** Any text: one that no token used gives VIEWER_NOT_FOUND. */
export const viewerParams = z.object({
  viewerId: text().meta({ description: 'Your own ID for the person, as in `viewer.id` of a token request.', examples: ['student-42'] }),
})
export const viewerVideoParams = viewerParams.extend(videoParams.shape)

export const viewersQuery = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100).meta({ description: 'Page size.' }),
  cursor: pageCursor.optional(),
})
export type ViewersQuery = z.output<typeof viewersQuery>
export const viewersExtra = z.object({ pagination })

const progress = {
  watchedSec: z.int().meta({ description: 'Distinct seconds of the video that were played.' }),
  durationSec: z.int().meta({ description: 'Length of the video in seconds when it was last watched.' }),
  positionSec: z.number().meta({ description: 'Where playback last was, in seconds.' }),
  firstAt: z.iso.datetime(),
  lastAt: z.iso.datetime(),
  completedAt: z.iso.datetime().nullable().meta({
    description: 'When enough of the video had been watched to complete it: 90%, or the percentage set in Settings. Null until then.',
  }),
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

const seen = {
  id: z.string().meta({ description: 'Your own ID for the person.' }),
  firstSeenAt: z.iso.datetime(),
  lastSeenAt: z.iso.datetime(),
}
const EXAMPLE_SEEN = { id: 'student-42', firstSeenAt: '2026-11-21T10:00:00.000Z', lastSeenAt: '2026-11-21T10:03:30.000Z' }

export const listedViewer = z.object(seen).meta({
  id: 'ListedViewer',
  description: 'A person who watches your videos, in a list.',
  examples: [EXAMPLE_SEEN],
})
export type ListedViewer = z.output<typeof listedViewer>

export const viewer = z
  .object({
    ...seen,
    sessions: z.array(z.object({ videoId: z.string(), beganAt: z.iso.datetime(), lastSeenAt: z.iso.datetime() })).meta({
      description: `Sessions that count now: with a request or report within the last 60 seconds. At most the ${MOST_SESSIONS} oldest.`,
    }),
    videos: z.array(viewerVideo).meta({ description: 'What they watched, most recent first; paginated.' }),
  })
  .meta({
    id: 'Viewer',
    description: 'A person who watches your videos.',
    examples: [
      {
        ...EXAMPLE_SEEN,
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

const EXAMPLE_RECEIPT = {
  kind: 'viewer.erasure' as const,
  account: 'acc_5pQ2nLx8tYhF0kW3sVbR7z',
  erasedAt: '2026-11-29T21:00:00.000Z',
  rows: { viewer: 1, viewer_session: 2, viewer_progress: 14 },
  iss: 'https://video.example.com',
  sub: 'vwr_Zk3v0Yp1RkqfB8cWn2xJtA',
  jti: 'rcp_8mWq4TzK1vXc6bNf2LsR0h',
  iat: 1_795_986_000,
}

export const erasure = z
  .object({
    format: z.string().meta({ description: 'Always `reelgate-receipt-1`.' }),
    receipt: z
      .object({
        kind: z.literal('viewer.erasure'),
        account: z.string().meta({ description: 'ID of the account.' }),
        erasedAt: z.iso.datetime(),
        rows: z.record(z.string(), z.int()).meta({ description: 'Number of rows deleted from the database, by table.' }),
        iss: z.string().meta({ description: 'The installation that signed the receipt.' }),
        sub: z.string().meta({
          description: 'Our reference for the viewer, as in the audit log. Only this installation can compute it from your ID.',
        }),
        jti: z.string().meta({ description: 'ID of the receipt.' }),
        iat: z.int().meta({ description: 'When the receipt was signed, in Unix seconds.' }),
      })
      .meta({ description: 'The receipt in readable form.' }),
    jws: z.string().meta({ description: 'The receipt, signed: a compact JWS with EdDSA.' }),
    jwks: z.string().meta({ description: 'URL of the public keys.' }),
  })
  .meta({
    id: 'Erasure',
    description: 'The signed receipt of an erasure. `reelgate verify-receipt` verifies it, and also accepts this whole response.',
    examples: [
      {
        format: 'reelgate-receipt-1',
        receipt: EXAMPLE_RECEIPT,
        jws: 'header.payload.signature',
        jwks: 'https://video.example.com/.well-known/jwks.json',
      },
    ],
  })
export type Erasure = z.output<typeof erasure>
