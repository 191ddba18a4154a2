import { z } from 'zod'
import { storedId } from '../../platform/text/schema.ts'

/** Specification §2.2. */
export const playbackToken = z
  .object({
    token: z
      .string()
      .regex(/^pt_/)
      .meta({ description: 'A JWT with the prefix `pt_`, valid for one video and 5 minutes, or `expiresInSec`.' }),
    expiresIn: z.int().meta({ description: 'Seconds until the token expires.', examples: [300] }),
    playerUrl: z.url().meta({ description: 'URL of the embed player, including the token.' }),
  })
  .meta({
    id: 'PlaybackToken',
    description: 'A credential to start playing one video.',
    examples: [
      {
        token: 'pt_TOKEN',
        expiresIn: 300,
        playerUrl: 'https://play.example.com/embed/vid_3kTMd9cXv0dRr1gB7JmQeA?token=pt_TOKEN',
      },
    ],
  })

/** Specification §2.3. */
export const playbackManifest = z
  .object({
    masterPlaylistUrl: z.url().meta({ description: 'URL of the HLS master playlist.' }),
    qualities: z.array(z.string()).meta({ description: 'Renditions in the master playlist, highest first.' }),
    encrypted: z.boolean().meta({ description: 'Whether segments are encrypted with AES-128.' }),
    expiresAt: z.iso.datetime().meta({ description: 'When the playback token expires.' }),
    resumeAt: z.number().optional().meta({
      description: 'Where the viewer stopped, in seconds. Only if the policy of the token has `resume`.',
      'x-additive': true,
    }),
    watermark: z.object({ label: z.string() }).optional().meta({
      description:
        'The text that our player draws over the video. Only if the policy of the token has `watermark`. Another player has to draw it itself.',
      'x-additive': true,
    }),
    sessionExpiresAt: z.iso.datetime().meta({ description: 'When the playlist URLs of this session expire.', 'x-additive': true }),
  })
  .meta({
    id: 'PlaybackManifest',
    description: 'What a player needs. Valid for this session only; do not store it.',
    examples: [
      {
        masterPlaylistUrl: 'https://cdn.example.com/cdn/hls/vid_3kTMd9cXv0dRr1gB7JmQeA/PERMIT/master.m3u8',
        qualities: ['1080p', '720p', '480p', '360p', '240p'],
        encrypted: true,
        expiresAt: '2026-11-21T10:05:00.000Z',
        sessionExpiresAt: '2026-11-21T16:00:00.000Z',
      },
    ],
  })

export const manifestParams = z.object({ token: z.string().meta({ description: 'A playback token, including its prefix `pt_`.' }) })

export const manifestQuery = z.object({
  // A repeated ID names no video, so the token is refused as for another video.
  videoId: z
    .preprocess((given) => (Array.isArray(given) ? '' : given), z.string().optional())
    .optional()
    .meta({ description: 'Refuses a token of any other video.', 'x-additive': true }),
  exchangeId: storedId(64).min(1).optional().meta({
    description:
      'A random text that identifies the player. The token of a share link can be exchanged once; with the same text, the same player can repeat an exchange whose response was lost.',
    'x-additive': true,
  }),
})

export const issueHeaders = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().meta({
    description: 'Makes retries safe: within 5 minutes, the same value and video return the same token, and it counts once.',
    'x-additive': true,
  }),
})

/** A token's ID, as in the request log. */
export const tokenIdInput = z.object({ tokenId: z.string().regex(/^tok_\w{1,60}$/, 'A token ID starts with tok_.') })
