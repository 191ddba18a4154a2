import { z } from 'zod'
import { CODECS } from '../../videos/codecs-schema.ts'
import { videoIdInput } from '../../videos/schema.ts'

const fields = z.strictObject({
  quality: z
    .string()
    .regex(/^\d{1,5}p$/, 'A quality is a height such as 720p.')
    .optional()
    .meta({ description: 'The rendition to download as an MP4. Without it, you get the original file.', examples: ['720p'] }),
  codec: z.enum(CODECS).optional().meta({
    description: 'Codec of the rendition. Not every video has renditions in `av1`, and not every program plays them. Defaults to `h264`.',
  }),
})
const ofRendition = ({ quality, codec }: z.output<typeof fields>) => codec === undefined || quality !== undefined
const needsQuality = { path: ['quality'], message: 'Specify a quality as well: the original file has only one codec.' }

/** Body of POST. */
export const downloadInput = fields.refine(ofRendition, needsQuality)

/** The same, of the dashboard. */
export const videoDownloadInput = fields.extend(videoIdInput.shape).refine(ofRendition, needsQuality)

export const download = z
  .object({
    status: z.enum(['preparing', 'ready']).meta({ description: 'If `preparing`, repeat the request after `retryAfterSec`.' }),
    url: z.string().nullable().meta({ description: 'Opens this file only, without an API key; null while we prepare it.' }),
    expiresAt: z.iso.datetime().nullable(),
    filename: z.string(),
    sizeBytes: z.int().nullable(),
    retryAfterSec: z.int().nullable(),
  })
  .meta({
    id: 'Download',
    description: 'A file of a video, and the URL that downloads it.',
    examples: [
      {
        status: 'ready',
        url: 'https://video.example.com/cdn/download/vid_3kTMd9cXv0dRr1gB7JmQeA/download-t4l0m8-1Yc9WqgXr0JkQ5oPzT3nUw/720p-0c1d4b2a9e8f7766554433221100aabb.mp4',
        expiresAt: '2026-11-21T10:00:00.000Z',
        filename: 'Lesson 4 (720p).mp4',
        sizeBytes: 48_122_901,
        retryAfterSec: null,
      },
    ],
  })
export type Download = z.output<typeof download>
