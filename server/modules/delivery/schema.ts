import { z } from 'zod'

/** Specification §2.2. */
export const playbackToken = z
  .object({
    token: z.string().regex(/^pt_/).meta({ description: 'JWT with the prefix pt_; valid for 5 minutes, for one video.' }),
    expiresIn: z.int().meta({ description: 'Seconds until expiry.', examples: [300] }),
    playerUrl: z.url().meta({ description: 'Embed URL that includes the token.' }),
  })
  .meta({
    id: 'PlaybackToken',
    description: 'A credential for one playback session of one video.',
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
    masterPlaylistUrl: z.url().meta({ description: 'HLS master playlist.' }),
    qualities: z.array(z.string()).meta({ description: 'Renditions in the master playlist, highest first.' }),
    encrypted: z.boolean().meta({ description: 'Whether segments are AES-128 encrypted.' }),
    expiresAt: z.iso.datetime().meta({ description: 'Expiry of the playback token.' }),
    sessionExpiresAt: z.iso.datetime().meta({ description: 'Expiry of the playlist URLs of this exchange.', 'x-additive': true }),
  })
  .meta({
    id: 'PlaybackManifest',
    description: 'URL of the video for a player. It is valid only for this session; do not store it.',
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

export const manifestParams = z.object({ token: z.string().meta({ description: 'A playback token, with its prefix `pt_`.' }) })

export const manifestQuery = z.object({
  videoId: z.string().optional().meta({ description: 'Rejects a token bound to another video.', 'x-additive': true }),
  exchangeId: z.string().min(1).max(64).optional().meta({
    description:
      'Random text of the player. The token of a share link is exchanged once; the same player repeats a lost exchange with the same text.',
    'x-additive': true,
  }),
})

export const issueHeaders = z.object({
  'Idempotency-Key': z.string().min(1).max(255).optional().meta({
    description: 'Repeating the same value for the same video within 5 minutes returns the same token and uses one unit of quota.',
    'x-additive': true,
  }),
})

/** A token's ID, as in the request log. */
export const tokenIdInput = z.object({ tokenId: z.string().regex(/^tok_\w{1,60}$/, 'A token ID begins with tok_.') })
