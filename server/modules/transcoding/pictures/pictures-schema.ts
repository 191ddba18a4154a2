import { z } from 'zod'
import { videoIdInput } from '../../videos/schema.ts'

export const THUMBNAIL_WIDTHS = { least: 16, most: 1_920, usual: 640 } as const

export const picturesQuery = z.object({
  time: z.coerce
    .number()
    .min(0)
    .max(900_000)
    .optional()
    .meta({ description: 'Time of the thumbnail in seconds. Defaults to the middle of the video.' }),
  width: z.coerce
    .number()
    .int()
    .min(THUMBNAIL_WIDTHS.least)
    .max(THUMBNAIL_WIDTHS.most)
    .optional()
    .meta({ description: `Width of the thumbnail in pixels, ${THUMBNAIL_WIDTHS.usual} by default. We never enlarge a picture.` }),
  format: z.enum(['jpeg', 'webp']).optional().meta({ description: 'Format of the thumbnail. Defaults to `jpeg`.' }),
})

const url = z.url().nullable()

/** Pictures that every response about a video can have. */
export const videoPictures = z.object({
  poster: url.meta({ description: 'A JPEG; null until there is one.' }),
  storyboard: url.meta({ description: 'A WebVTT file whose cues name parts of images; null until there is one.' }),
  expiresAt: z.iso.datetime().meta({ description: 'When the URLs expire, one to two hours from now.' }),
})
export type VideoPictures = z.output<typeof videoPictures>

const EXAMPLE = 'https://video.example.com/cdn/hls/vid_3kTMd9cXv0dRr1gB7JmQeA/picture-tk3x1c-Q2mLw0Zt4Bc9Xr1VnKpDeA'

export const picturesOfVideo = videoPictures
  .extend({ thumbnail: url.meta({ description: 'The requested thumbnail; null until the video is COMPLETED.' }) })
  .meta({
    id: 'Pictures',
    description: 'Signed URLs of the pictures of a video. Each opens its own picture only, without a key.',
    examples: [
      {
        poster: `${EXAMPLE}/poster-0b0f8a5ad0f34f3b9f2b7a1c9d0e6f21.jpg`,
        storyboard: `${EXAMPLE}/storyboard.vtt`,
        thumbnail: `${EXAMPLE}/thumbnail-90000-640.jpg`,
        expiresAt: '2026-11-21T11:00:00.000Z',
      },
    ],
  })
export type PicturesOfVideo = z.output<typeof picturesOfVideo>

/** A frame of a video for the dashboard: `time` in seconds. */
export const thumbnailInput = videoIdInput.extend({ time: z.number().min(0).max(900_000), width: picturesQuery.shape.width })

export const posterAtInput = thumbnailInput.omit({ width: true })
