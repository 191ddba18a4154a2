import { z } from 'zod'

/** Specification §2.2. */
export const playbackToken = z
  .object({
    token: z.string().regex(/^pt_/).meta({ description: 'JWT with the prefix pt_; valid for 5 minutes, for one video.' }),
    expiresIn: z.int().meta({ description: 'Seconds until expiry.', examples: [300] }),
    playerUrl: z.url().meta({ description: 'Ready-made embed URL with the token in it.' }),
  })
  .meta({ id: 'PlaybackToken' })

/** Specification §2.3. */
export const playbackManifest = z
  .object({
    masterPlaylistUrl: z.url().meta({ description: 'HLS master playlist.' }),
    qualities: z.array(z.string()).meta({ description: 'Renditions in the master playlist, highest first.' }),
    encrypted: z.boolean().meta({ description: 'Whether segments are AES-128 encrypted.' }),
    expiresAt: z.iso.datetime().meta({ description: 'Expiry of the playback token.' }),
    sessionExpiresAt: z.iso.datetime().meta({ description: 'Additive. Until when the playlist URLs of this exchange work.' }),
  })
  .meta({ id: 'PlaybackManifest' })

export const manifestParams = z.object({ token: z.string() })

export const manifestQuery = z.object({
  videoId: z.string().optional().meta({ description: 'Additive. Refuses a token bound to another video.' }),
})
